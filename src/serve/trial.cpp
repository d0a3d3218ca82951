#include "serve/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/rank_request.hpp"
#include "serve/decide.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"

namespace sau::detail {
namespace {

using TrialJson = nlohmann::ordered_json;

Failure senseless(const nlohmann::json::exception& error) {
  return {Failure::Code::kInternal,
          std::string("a record of a trial cannot be read: ") + error.what()};
}

std::unique_ptr<OfferAgent> candidate_of(const TrialPlan& plan, const std::filesystem::path& folder,
                                         std::uint64_t seed) {
  auto agent = make_offer_agent(plan.request.policy.agent, seed);
  if (plan.model.empty()) return agent;
  const auto file = loaded_file(folder, plan.model);
  read_model(read_file(file), file.string(), schema_of(*agent, seed), *agent);
  return agent;
}

}  // namespace

std::string write_trial_plan(const TrialPlan& plan) {
  const GateRequest& request = plan.request;
  const TrialJson json = {
      {"id", plan.id},
      {"name", request.policy.name},
      {"agent", request.policy.agent},
      {"margin", request.margin},
      {"alpha", request.alpha},
      {"automatic", request.automatic},
      {"scheduled", request.scheduled},
      {"model", plan.model},
      {"learned", plan.learned},
      {"from", plan.from},
      {"exploration", plan.exploration ? TrialJson(*plan.exploration) : TrialJson()},
      {"floor", plan.floor},
      {"rewardMinimum", plan.rewards.min},
      {"rewardMaximum", plan.rewards.max},
      {"time", plan.time}};
  return json.dump();
}

Result<TrialPlan> read_trial_plan(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  try {
    TrialPlan plan{.request = {.policy = {.name = json.at("name"), .agent = json.at("agent")},
                               .margin = json.at("margin"),
                               .alpha = json.at("alpha"),
                               .automatic = json.at("automatic"),
                               .scheduled = json.at("scheduled")},
                   .id = json.at("id"),
                   .model = json.at("model"),
                   .learned = json.at("learned"),
                   .from = json.at("from"),
                   .exploration = {},
                   .floor = json.at("floor"),
                   .rewards = {json.at("rewardMinimum"), json.at("rewardMaximum")},
                   .time = json.at("time")};
    if (!json.at("exploration").is_null()) plan.exploration = json.at("exploration").get<double>();
    return plan;
  } catch (const nlohmann::json::exception& error) {
    return senseless(error);
  }
}

std::string write_trial_end(const TrialEnd& end) {
  return TrialJson{{"id", end.id},
                   {"outcome", enum_names(end.outcome)[static_cast<std::size_t>(end.outcome)]},
                   {"time", end.time}}
      .dump();
}

Result<TrialEnd> read_trial_end(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  try {
    TrialEnd end{.id = json.at("id"), .time = json.at("time")};
    const auto names = enum_names(GateOutcome{});
    const auto found = std::ranges::find(names, json.at("outcome").get<std::string>());
    if (found == names.end()) {
      return Failure{Failure::Code::kInternal, "a record of a trial has an unknown outcome"};
    }
    end.outcome = static_cast<GateOutcome>(found - names.begin());
    return end;
  } catch (const nlohmann::json::exception& error) {
    return senseless(error);
  }
}

std::string write_gate_state(const GateState& state) { return to_json(state); }

Result<GateState> read_gate_state(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto number = [&](const char* field) {
    return json.at(field).is_null() ? kUndefined : json.at(field).get<double>();
  };
  try {
    const auto end = read_trial_end(
        TrialJson{{"id", json.at("id")}, {"outcome", json.at("outcome")}, {"time", 0}}.dump());
    if (!end.ok()) return end.failure();
    return GateState{.id = json.at("id"),
                     .request = {.policy = {.name = json.at("name"), .agent = json.at("arguments")},
                                 .margin = json.at("margin"),
                                 .alpha = json.at("alpha"),
                                 .automatic = json.at("automatic"),
                                 .scheduled = json.at("scheduled")},
                     .begun = parse_time(json.at("beginTime").get<std::string>()).value_or(0),
                     .decisions = json.at("decisions"),
                     .reward = number("averageReward"),
                     .gain = number("gain"),
                     .low = number("gainLow"),
                     .high = number("gainHigh"),
                     .outcome = end.value().outcome,
                     .ended = parse_time(json.at("endTime").get<std::string>()).value_or(0)};
  } catch (const nlohmann::json::exception& error) {
    return senseless(error);
  }
}

Trial::Trial(TrialPlan plan, Sequence begun, const std::filesystem::path& folder,
             std::uint64_t seed)
    : plan_(std::move(plan)),
      begun_(begun),
      next_(plan_.from),
      agent_(candidate_of(plan_, folder, seed)),
      score_(plan_.rewards, true) {
  served_.exploration_percentage = plan_.exploration;
  served_.probability_floor = plan_.floor;
}

std::optional<Failure> Trial::follow(Sequence position, const EventStore& store) {
  std::optional<Failure> failure;
  const Status read = store.events(next_, position, [&](const LoggedEvent& event) {
    const EventState& state = event.state;
    if (state.completed_by == 0 || state.completed_by > position) return false;
    failure = look(event, event.sequence > begun_);
    if (!failure) next_ = event.sequence + 1;
    return !failure;
  });
  if (!read.ok()) return read.failure();
  return failure;
}

std::optional<Failure> Trial::finish(Sequence position, const EventStore& store) {
  if (auto failure = follow(position, store)) return failure;
  std::optional<Failure> failure;
  const Status read = store.events(next_, position, [&](const LoggedEvent& event) {
    const EventState& state = event.state;
    if (state.completed_by != 0 && state.completed_by <= position) failure = look(event, false);
    return !failure;
  });
  if (!read.ok()) return read.failure();
  return failure;
}

std::optional<Failure> Trial::look(const LoggedEvent& event, bool scores) {
  const EventState& state = event.state;
  // The model file has learned from it; or it never counted.
  if (broken_ != 0 || state.completed_by <= plan_.learned || state.phase == EventPhase::kDropped ||
      state.struck) {
    return std::nullopt;
  }
  const auto decision = decode_decision(event.decision);
  if (!decision.ok()) return decision.failure();
  const Decision& made = decision.value();
  const auto request = read_rank_request(made.request, RequestLimits::none());
  if (!request.ok() || request.value().actions.size() != made.actions.size()) {
    return Failure{Failure::Code::kInternal,
                   "the logged request of event '" + made.event_id + "' cannot be read"};
  }
  std::vector<OfferedAction> offered;
  for (std::size_t i = 0; i < made.actions.size(); ++i) {
    offered.push_back(request.value().offered(i));
  }
  forecasts_.resize(offered.size());
  decide_as_served(*agent_, served_, request.value().context(), offered, forecasts_);
  const RewardRange& range = plan_.rewards;
  if (scores) {
    policy_.clear();
    chances_.clear();
    predicted_.clear();
    for (std::size_t i = 0; i < offered.size(); ++i) {
      const DecidedAction& action = made.actions[i];
      policy_.push_back(forecasts_[i].probability);
      chances_.push_back(action.probability);
      // What the agent that decided had predicted: it knew earlier decisions only.
      const double value = std::isfinite(action.value) ? action.value : range.min;
      predicted_.push_back(std::clamp(value, range.min, range.max));
    }
    const double reward = std::clamp(state.final_reward, range.min, range.max);
    score_.add({.context = request.value().context(),
                .actions = offered,
                .chosen = made.chosen,
                .chance = chances_[made.chosen],
                .chances = chances_,
                .reward = reward,
                .line = event.sequence,
                .time = made.time},
               policy_, predicted_);
    reward_sum_ += reward;
  }
  if (made.mode == LearningMode::kLoggingOnly) return std::nullopt;
  const RewardRange learned = agent_->rewards();
  try {
    agent_->learn(request.value().context(), offered[made.chosen], forecasts_[made.chosen].value,
                  std::clamp(state.final_reward, learned.min, learned.max),
                  made.actions[made.chosen].probability);
    broken_ = agent_->fault().empty() ? 0 : 1;
  } catch (const Error&) {  // a candidate must not stop the policy from learning
    broken_ = 1;
  }
  return std::nullopt;
}

std::optional<GateOutcome> Trial::verdict() const {
  if (broken_ != 0) return GateOutcome::kWorse;
  if (!plan_.request.automatic) return std::nullopt;
  const double enough = std::log(2.0 / plan_.request.alpha);
  if (score_.evidence(plan_.request.margin, false) >= enough) return GateOutcome::kPromoted;
  if (score_.evidence(plan_.request.margin, true) >= enough) return GateOutcome::kWorse;
  return std::nullopt;
}

GateState Trial::state() const {
  const auto n = static_cast<double>(score_.decisions());
  const Interval ends = score_.anytime(plan_.request.alpha);
  return {.id = plan_.id,
          .request = plan_.request,
          .begun = plan_.time,
          .decisions = score_.decisions(),
          .reward = score_.decisions() == 0 ? kUndefined : reward_sum_ / n,
          .gain = score_.value(),
          .low = ends.low,
          .high = ends.high};
}

void Trial::save(StateWriter& writer) const {
  writer("trial_next", next_);
  writer("trial_rewards", reward_sum_);
  writer("trial_broken", broken_);
  GainScore::state(score_, writer);
  agent_->save(writer);
}

void Trial::load(StateReader& reader) {
  reader("trial_next", next_);
  reader("trial_rewards", reward_sum_);
  reader("trial_broken", broken_);
  GainScore::state(score_, reader);
  agent_->load(reader);
}

}  // namespace sau::detail
