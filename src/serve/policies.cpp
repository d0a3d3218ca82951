#include "serve/policies.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "sau/catalog/catalog.hpp"
#include "sau/core/file.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"
#include "serve/versions.hpp"

namespace sau::detail {

std::string keep_model(const std::filesystem::path& folder, std::string_view bytes) {
  std::string name = checksum_of(bytes) + ".sau";
  const auto file = loaded_file(folder, name);
  std::filesystem::create_directories(file.parent_path());
  write_file(file, bytes);
  return name;
}

Policy Policies::whole(Policy policy) const {
  if (policy.agent.empty()) policy.agent = canonical_offer_agent(settings_.agent);
  return policy;
}

std::optional<Failure> Policies::check(const Policy& policy) const {
  const auto agent = make_offer_agent(policy.agent, settings_.seed);
  auto wrong = check_rewards_of(*agent, *configuration_.get());
  if (wrong) wrong->target = "arguments";
  return wrong;
}

void Policies::submit(const Policy& policy, std::string model, Answer<Policy> answer) {
  journal_.submit(PolicyOperation{
      policy, {.policy = whole(policy), .model = std::move(model)}, std::move(answer)});
}

void Policies::set(std::string_view json, const Answer<Policy>& answer) {
  const auto policy = read_policy_contract(json);
  if (!policy.ok()) return answer(policy.failure());
  if (auto wrong = check(policy.value())) return answer(std::move(*wrong));
  submit(policy.value(), "", answer);
}

void Policies::reset(Answer<Policy> answer) { submit(Policy{}, "", std::move(answer)); }

void Policies::apply_trained(const Policy& policy, const Answer<Policy>& answer) {
  if (auto wrong = check(policy)) return answer(std::move(*wrong));
  std::string model;
  try {
    const auto trained = trained_on_log(folder_, policy.agent, settings_.seed, store_, stopping_);
    model = keep_model(folder_, trained.replayer.model());
  } catch (const std::exception& error) {
    return answer(Failure{Failure::Code::kUnavailable, error.what()});
  }
  submit(policy, std::move(model), answer);
}

void Policies::roll_back(Sequence version, const Answer<Done>& answer) {
  std::string model;
  Policy policy = configuration_.get()->policy;
  try {
    model = read_version(folder_, version);
    const std::string agent =
        agent_of(read_model_head(model, fmt::format("version {}", version)).schema);
    if (agent != whole(policy).agent) {
      policy = Policy{};  // that of the folder
      if (agent != whole(policy).agent) policy = {.name = "rollback", .agent = agent};
    }
    Replayer(folder_, agent, settings_.seed).load(model, fmt::format("version {}", version));
  } catch (const std::exception& error) {
    return answer(Failure{Failure::Code::kNotFound, error.what(), "version"});
  }
  if (auto wrong = check(whole(policy))) return answer(std::move(*wrong));
  try {
    model = keep_model(folder_, model);
  } catch (const std::exception& error) {
    return answer(Failure{Failure::Code::kUnavailable, error.what()});
  }
  journal_.submit(RollbackOperation{policy, {.policy = whole(policy)}, std::move(model), answer});
}

void Policies::begin_trial(const GateRequest& request, const Answer<Done>& answer) {
  if (auto wrong = check(request.policy)) return answer(std::move(*wrong));
  const auto configuration = configuration_.get();
  TrialPlan plan{.request = request,
                 .id = ids_.next(),
                 .exploration = configuration->exploration_percentage,
                 .floor = configuration->probability_floor,
                 .rewards = {configuration->reward_minimum, configuration->reward_maximum}};
  try {
    const auto trained =
        trained_on_log(folder_, request.policy.agent, settings_.seed, store_, stopping_);
    plan.model = keep_model(folder_, trained.replayer.model());
    plan.learned = trained.replayer.position();
    plan.from = trained.from;
  } catch (const std::exception& error) {
    return answer(Failure{Failure::Code::kUnavailable, error.what()});
  }
  journal_.submit(TrialBeginOperation{std::move(plan), answer});
}

void Policies::end_trial(GateOutcome outcome, Answer<Done> answer) {
  journal_.submit(TrialEndOperation{{}, outcome, std::move(answer)});
}

void Policies::judged(const std::string& trial, GateOutcome verdict) {
  if (judging_.exchange(true)) return;
  // If it could not be written, the learner judges again.
  journal_.submit(TrialEndOperation{trial, verdict, [this](const Status&) { judging_ = false; }});
}

Result<GateRequest> read_gate_request(std::string_view body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  auto policy = read_policy_contract(json);
  if (!policy.ok()) return policy.failure();
  GateRequest request{.policy = std::move(policy).value()};
  const auto wrong = [](const char* field, const char* expected) {
    return Failure{Failure::Code::kBadRequest, std::string("expected ") + expected, field};
  };
  if (const auto margin = json.find("margin"); margin != json.end() && !margin->is_null()) {
    if (!margin->is_number() || !(margin->get<double>() >= 0.0) ||
        !(margin->get<double>() <= kLargestReward)) {
      return wrong("margin", "a number of at least 0, in units of the reward");
    }
    request.margin = margin->get<double>();
  }
  if (const auto alpha = json.find("alpha"); alpha != json.end() && !alpha->is_null()) {
    if (!alpha->is_number() || !(alpha->get<double>() > 0.0) || !(alpha->get<double>() < 1.0)) {
      return wrong("alpha", "a number between 0 and 1");
    }
    request.alpha = alpha->get<double>();
  }
  if (const auto automatic = json.find("automatic");
      automatic != json.end() && !automatic->is_null()) {
    if (!automatic->is_boolean()) return wrong("automatic", "true or false");
    request.automatic = automatic->get<bool>();
  }
  return request;
}

}  // namespace sau::detail
