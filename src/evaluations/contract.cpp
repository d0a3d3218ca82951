#include "evaluations/contract.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "sau/evaluations/evaluations.hpp"
#include "serve/policy.hpp"

namespace sau {

std::vector<std::string> experiment_agents() {
  return {"sau",
          "hashed_linear+sau_sampling",
          "hashed_linear+sau_ucb",
          "hashed_linear+epsilon_greedy",
          "hashed_linear(lr=0.1)+sau_sampling",
          "hashed_mlp+sau_sampling"};
}

namespace detail {
namespace {

using ContractJson = nlohmann::json;

constexpr std::size_t kMostPolicies = 50, kLongestText = 256;
constexpr std::string_view kContractName = "InvalidEvaluationContract";

Failure wrong_contract(std::string message, std::string target,
                       std::string_view name = kContractName) {
  return {Failure::Code::kBadRequest, std::move(message), std::move(target), name};
}

std::optional<std::string> text_field(const ContractJson& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  auto text = found->get<std::string>();
  if (text.empty() || text.size() > kLongestText) return std::nullopt;
  return text;
}

std::optional<Milliseconds> time_field(const ContractJson& json, const char* field) {
  const auto text = text_field(json, field);
  return text ? parse_time(*text) : std::nullopt;
}

}  // namespace

Result<EvaluationContract> read_evaluation_contract(std::string_view body, const Policy& present,
                                                    const std::vector<Policy>& experiments) {
  const ContractJson json = ContractJson::parse(body, nullptr, false);
  if (!json.is_object()) return wrong_contract("the request is not a JSON object", "");
  EvaluationContract contract;
  const auto name = text_field(json, "name");
  if (!name) return wrong_contract("expected text of 1 to 256 bytes", "name");
  contract.name = *name;
  for (const auto& [field, into] :
       {std::pair{"startTime", &contract.start}, std::pair{"endTime", &contract.end}}) {
    const auto time = time_field(json, field);
    if (!time) return wrong_contract("expected a time, such as \"2026-11-16T05:52:39Z\"", field);
    *into = *time;
  }
  if (contract.start >= contract.end) {
    return wrong_contract("the end is not after the start", "endTime");
  }
  if (const auto experiment = json.find("enableOfflineExperimentation");
      experiment != json.end() && !experiment->is_null()) {
    if (!experiment->is_boolean()) {
      return wrong_contract("expected true or false", "enableOfflineExperimentation");
    }
    contract.experiment = experiment->get<bool>();
  }
  const auto policies = json.find("policies");
  if (policies == json.end() || !policies->is_array() || policies->size() > kMostPolicies) {
    return wrong_contract(fmt::format("expected an array of at most {} policies", kMostPolicies),
                          "policies");
  }
  std::set<std::string> names = {present.name, kBaselineName, kRandomName};
  if (contract.experiment) {
    for (const Policy& policy : experiments) names.insert(policy.name);
  }
  for (std::size_t i = 0; i < policies->size(); ++i) {
    const std::string where = fmt::format("policies[{}]", i);
    auto policy = read_policy_contract((*policies)[i], where);
    if (!policy.ok()) return policy.failure();
    if (!names.insert(policy.value().name).second) {
      return wrong_contract("another policy of this evaluation has the same name", where + ".name",
                            "DuplicateCustomPolicyNames");
    }
    contract.policies.push_back(std::move(policy).value());
  }
  return contract;
}

nlohmann::ordered_json to_json(const EvaluationContract& contract) {
  nlohmann::ordered_json policies = nlohmann::ordered_json::array();
  for (const Policy& policy : contract.policies) {
    policies.push_back({{"name", policy.name}, {"arguments", policy.agent}});
  }
  return {{"name", contract.name},
          {"startTime", write_time(contract.start)},
          {"endTime", write_time(contract.end)},
          {"policies", std::move(policies)},
          {"enableOfflineExperimentation", contract.experiment}};
}

EvaluationContract evaluation_contract_of(const ContractJson& json) {
  EvaluationContract contract{.name = json.at("name").get<std::string>(),
                              .start = parse_time(json.at("startTime").get<std::string>()).value(),
                              .end = parse_time(json.at("endTime").get<std::string>()).value(),
                              .policies = {},
                              .experiment = json.at("enableOfflineExperimentation").get<bool>()};
  for (const ContractJson& policy : json.at("policies")) {
    contract.policies.push_back({.name = policy.at("name").get<std::string>(),
                                 .agent = policy.at("arguments").get<std::string>()});
  }
  return contract;
}

Result<PolicyReference> read_policy_reference(std::string_view body) {
  const ContractJson json = ContractJson::parse(body, nullptr, false);
  if (!json.is_object()) {
    return wrong_contract("the request is not a JSON object", "", "InvalidPolicyContract");
  }
  PolicyReference reference;
  for (const auto& [field, into] : {std::pair{"evaluationId", &reference.evaluation},
                                    std::pair{"policyName", &reference.policy}}) {
    const auto text = text_field(json, field);
    if (!text) {
      return wrong_contract("expected text of 1 to 256 bytes", field, "InvalidPolicyContract");
    }
    *into = *text;
  }
  return reference;
}

}  // namespace detail
}  // namespace sau
