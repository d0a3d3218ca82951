#include "evaluations/run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "evaluations/importance.hpp"
#include "evaluations/summary.hpp"
#include "sau/evaluate/evaluate.hpp"
#include "sau/logs/open_choices.hpp"
#include "sau/store/event_store.hpp"
#include "serve/decision_text.hpp"
#include "serve/replayer.hpp"

namespace sau::detail {
namespace {

using ResultJson = nlohmann::ordered_json;

constexpr double kAlpha = 0.05;

// A log that can be made to end early.
class StoppableSource final : public ChoiceSource {
 public:
  StoppableSource(std::unique_ptr<ChoiceSource> source, const std::atomic<bool>& stop)
      : source_(std::move(source)), stop_(stop) {}

  const std::string& name() const noexcept override { return source_->name(); }
  std::uint64_t first_line() const override { return source_->first_line(); }
  std::uint64_t last_line() const override { return source_->last_line(); }
  bool has_order() const override { return source_->has_order(); }
  void rewind() override { source_->rewind(); }
  std::optional<Piece> next() override { return stop_ ? std::nullopt : source_->next(); }

 private:
  std::unique_ptr<ChoiceSource> source_;
  const std::atomic<bool>& stop_;
};

// Calls visit(event) for every event of that time that was completed and not struck, until it is
// stopped.
template <class Visit>
void each_outcome(const EvaluationContract& contract, const EvaluationPlace& place,
                  const std::atomic<bool>& stop, const Visit& visit) {
  const auto store =
      open_event_store(log_folder(place.folder), {.read_only = true, .verify = false});
  good(store->events(store->base().last + 1, store->head().last, [&](const LoggedEvent& event) {
    const bool asked = event.state.time >= contract.start && event.state.time < contract.end;
    if (asked && has_outcome(event.state) && !event.state.struck) visit(event);
    return !stop;
  }));
}

ResultJson feature_importance(const EvaluationContract& contract, const EvaluationPlace& place,
                              const RewardRange& rewards, const std::atomic<bool>& stop) {
  FeatureImportance importance(place.seed, rewards);
  each_outcome(contract, place, stop, [&](const LoggedEvent& event) {
    const Decision decision = good(decode_decision(event.decision));
    importance.add(decision.request, decision.chosen, event.state.final_reward);
  });
  return importance.result();
}

// The bounds of rewards, widened if the log has others: sums, or rewards from before a change.
RewardRange possible_rewards(const EvaluationContract& contract, const EvaluationPlace& place,
                             const std::atomic<bool>& stop) {
  RewardRange range{place.configuration.reward_minimum, place.configuration.reward_maximum};
  each_outcome(contract, place, stop, [&range](const LoggedEvent& event) {
    range.min = std::min(range.min, event.state.final_reward);
    range.max = std::max(range.max, event.state.final_reward);
  });
  return range;
}

// One of the policies, and where its name and numbers go.
struct Entrant {
  Policy policy;
  const char* source;  // Personalizer's policySource
  std::shared_ptr<PolicySums> sums;
};

ResultJson result_of(const Entrant& entrant, const PolicyResult& found,
                     const EvaluationContract& contract) {
  const auto number = [](double value) {
    return std::isfinite(value) ? ResultJson(value) : ResultJson();
  };
  return {{"name", entrant.policy.name},
          {"arguments", entrant.policy.agent},
          {"policySource", entrant.source},
          {"summary", entrant.sums->pieces()},
          {"totalSummary", entrant.sums->total(contract.start, contract.end)},
          // Fields of our own: how much more it earns than the policy that made the log, and how
          // sure that is.
          {"gain", number(found.gain)},
          {"gainLow", number(found.gain_ends.low)},
          {"gainHigh", number(found.gain_ends.high)},
          {"refused", found.refused}};
}

}  // namespace

ResultJson run_evaluation(const EvaluationContract& contract, const EvaluationPlace& place,
                          const std::atomic<bool>& stop) {
  constexpr Milliseconds kHour = 60LL * 60 * 1000, kDay = 24 * kHour, kWeek = 7 * kDay;
  const Milliseconds window = contract.end - contract.start <= kWeek ? kHour : kDay;
  std::vector<Entrant> entrants;
  std::vector<PolicyPlan> plans;
  const auto enter = [&](const Policy& policy, const char* source, std::unique_ptr<Target> target) {
    entrants.push_back({policy, source, std::make_shared<PolicySums>(window)});
    plans.push_back({summed(std::move(target), entrants.back().sums), Learning::kFollowing});
  };
  const auto enter_agent = [&](const Policy& policy, const char* source) {
    enter(policy, source,
          served_target(policy.name, policy.agent, place.seed, place.configuration));
  };
  enter(place.present, "Online", make_target("logged", place.seed));
  enter({kBaselineName, ""}, "Baseline", make_target("first", place.seed));
  enter({kRandomName, ""}, "Random", make_target("uniform", place.seed));
  for (const Policy& policy : contract.policies) enter_agent(policy, "Custom");
  if (contract.experiment) {
    for (const Policy& policy : place.experiments) enter_agent(policy, "OfflineExperimentation");
  }

  EvaluateOptions options;
  options.score.rewards = possible_rewards(contract, place, stop);
  // The best of several looks better than it is.
  options.score.alpha = kAlpha / static_cast<double>(entrants.size());
  options.threads = 1;  // decisions come first
  StoppableSource source(open_choices(place.folder, {.format = ChoiceFormat::kFolder,
                                                     .from = contract.start,
                                                     .until = contract.end}),
                         stop);
  const EvaluationResult result = evaluate(source, std::move(plans), {}, options);

  ResultJson results = ResultJson::array();
  std::string optimal = place.present.name;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const PolicyResult& found = result.policies[i];
    results.push_back(result_of(entrants[i], found, contract));
    // Only a policy that can be applied, and that is surely better.
    const bool is_agent = !found.agent.empty();
    if (is_agent && found.refused.empty() && found.gain_ends.low > 0.0 && found.gain > most) {
      most = found.gain;
      optimal = entrants[i].policy.name;
    }
  }
  return {{"policyResults", std::move(results)},
          {"featureImportance", feature_importance(contract, place, options.score.rewards, stop)},
          {"optimalPolicy", optimal}};
}

const nlohmann::ordered_json* best_experiment(const nlohmann::ordered_json& results,
                                              const Policy& present) {
  const nlohmann::ordered_json* best = nullptr;
  for (const nlohmann::ordered_json& result : results.at("policyResults")) {
    const bool fits = result.at("policySource") == "OfflineExperimentation" &&
                      result.at("arguments") != present.agent && result.at("refused").empty() &&
                      result.at("gain").is_number();
    if (fits && (best == nullptr || result.at("gain") > best->at("gain"))) best = &result;
  }
  return best;
}

}  // namespace sau::detail
