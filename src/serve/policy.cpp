#include "serve/policy.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "sau/agent/offer_agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kLongestName = 256, kLongestArguments = 1024;

// Ways to explore in Vowpal Wabbit, and the nearest agent. The first one that a text has counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNearest = {{
    {"--epsilon", "hashed_linear+epsilon_greedy"},
    {"--first", "hashed_linear+epsilon_greedy"},
    {"--squarecb", "hashed_linear+squarecb"},
    {"--softmax", "hashed_linear+softmax"},
    {"--regcb", "hashed_linear+sau_ucb"},
    {"--bag", "committee+sau_sampling"},
    {"--cover", "committee+sau_sampling"},
    {"--nn", "hashed_mlp+sau_sampling"},
}};

std::string refusal_of_vw(std::string_view arguments) {
  std::string_view agent = "sau";
  for (const auto& [option, nearest] : kNearest) {
    if (arguments.find(option) == std::string_view::npos) continue;
    agent = nearest;
    break;
  }
  return fmt::format(
      "these are arguments of Vowpal Wabbit; here they are the spec of an agent, and the nearest "
      "one is {}",
      agent);
}

Failure wrong_policy(std::string message, const std::string& where, const char* field,
                     std::string_view name) {
  return {Failure::Code::kBadRequest, std::move(message), where + field, name};
}

}  // namespace

Result<Policy> read_policy_contract(const nlohmann::json& json, const std::string& where) {
  constexpr std::string_view kContract = "InvalidPolicyContract";
  if (!json.is_object()) {
    return wrong_policy("expected an object with name and arguments", where, "", kContract);
  }
  const std::string before = where.empty() ? "" : where + ".";
  const auto text = [&](const char* field, std::size_t longest, std::string& into) {
    const auto found = json.find(field);
    if (found == json.end() || !found->is_string()) return false;
    into = found->get<std::string>();
    return !into.empty() && into.size() <= longest;
  };
  Policy policy;
  if (!text("name", kLongestName, policy.name)) {
    return wrong_policy(fmt::format("expected text of 1 to {} bytes", kLongestName), before, "name",
                        kContract);
  }
  std::string arguments;
  if (!text("arguments", kLongestArguments, arguments)) {
    return wrong_policy(fmt::format("expected text of 1 to {} bytes", kLongestArguments), before,
                        "arguments", kContract);
  }
  constexpr std::string_view kInvalid = "InvalidPolicyConfiguration";
  if (arguments.find("--") != std::string::npos) {
    return wrong_policy(refusal_of_vw(arguments), before, "arguments", kInvalid);
  }
  try {
    policy.agent = canonical_offer_agent(arguments);
  } catch (const UsageError& error) {
    return wrong_policy(error.what(), before, "arguments", kInvalid);
  }
  return policy;
}

Result<Policy> read_policy_contract(std::string_view body) {
  return read_policy_contract(nlohmann::json::parse(body, nullptr, false));
}

std::optional<Failure> check_rewards_of(const OfferAgent& agent,
                                        const Configuration& configuration) {
  const RewardRange range = agent.rewards();
  const double low = configuration.reward_minimum, high = configuration.reward_maximum;
  if (range.contains(RewardRange{low, high})) return std::nullopt;
  return Failure{Failure::Code::kBadRequest,
                 fmt::format("rewards from {} to {} are not allowed; {} learns from {} to {}", low,
                             high, agent.spec(), range.min, range.max),
                 low < range.min ? "rewardMinimum" : "rewardMaximum"};
}

std::string write_policy_change(const PolicyChange& change) {
  nlohmann::ordered_json json = {{"name", change.policy.name}, {"agent", change.policy.agent}};
  if (!change.model.empty()) json["model"] = change.model;
  return json.dump();
}

Result<PolicyChange> read_policy_change(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  try {
    return PolicyChange{.policy = {.name = json.at("name").get<std::string>(),
                                   .agent = json.at("agent").get<std::string>()},
                        .model = json.value("model", "")};
  } catch (const nlohmann::json::exception& error) {
    return Failure{Failure::Code::kInternal,
                   std::string("a record of a new policy cannot be read: ") + error.what()};
  }
}

}  // namespace sau::detail
