#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sau/agent/action_table.hpp"
#include "sau/agent/door_checks.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/core/error.hpp"
#include "sau/core/floor.hpp"
#include "sau/core/stack_memory.hpp"
#include "sau/core/text.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/offer.hpp"
#include "sau/explore/sau_state.hpp"
#include "sau/explore/strategy.hpp"
#include "sau/model/by_ids.hpp"
#include "sau/model/joint_model.hpp"

namespace sau {

// What an agent knows besides its model.
struct Experience {
  std::uint64_t learned = 0;           // rewards
  double lowest = 0.0, highest = 0.0;  // of them; 0 when there is none
  PooledResiduals residuals;           // only if the strategy wants them

  void add(double reward) noexcept {
    lowest = learned == 0 ? reward : std::min(lowest, reward);
    highest = learned == 0 ? reward : std::max(highest, reward);
    ++learned;
  }
  // A mean lies between the lowest and the highest reward, whatever a model predicts for features
  // larger than any it has seen.
  double bounded(double value) const noexcept { return std::clamp(value, lowest, highest); }
};

// The weights of a committee, which also says how far its members differ.
template <class Weights>
concept DisagreeingWeights = requires(const Weights& weights, HashedFeatures context,
                                      std::span<const JointAction> actions, std::span<double> out) {
  weights.judge(context, actions, out, out);
};

// Where an offer gets widths and marginals from: the model's weights, for the candidates.
template <class Weights>
struct WeightsSource {
  const Weights& weights;
  HashedFeatures context;
  std::span<const JointAction> candidates;
  std::span<double> width;                // room for one number per candidate
  std::span<const double> disagreements;  // of the candidates

  std::span<const double> disagreement() const requires DisagreeingWeights<Weights> {
    return disagreements;
  }

  std::span<const double> widths() const {
    weights.widths(context, candidates, width);
    return width;
  }
  auto marginals() const { return weights.marginals(context, candidates); }
};

// A strategy, an empty evidence record of its kind, which computes widths, and a floor under the
// probabilities.
template <Strategy S>
struct Rule {
  using Evidence = decltype(std::declval<const S&>().evidence());

  Rule(S s, double least) : strategy(std::move(s)), evidence(strategy.evidence()), floor(least) {}
  // What SAU's numbers are made with; the paper's if the strategy does not say.
  SauPrior prior() const noexcept {
    if constexpr (std::same_as<Evidence, SauState>) return evidence.prior();
    return {};
  }
  S strategy;
  Evidence evidence;
  double floor;
};

// The forecasts of an agent whose model has these weights.
template <class Weights, Strategy S>
void decide_among(const Weights& weights, const Rule<S>& rule, const ActionTable& table,
                  const Experience& experience, HashedFeatures context,
                  std::span<const OfferedAction> actions, std::optional<double> exploration,
                  std::span<Forecast> out) {
  if (out.size() != actions.size()) {
    throw Error("decide: room for " + std::to_string(out.size()) + " actions, expected " +
                std::to_string(actions.size()));
  }
  if (exploration && !(*exploration >= 0.0 && *exploration <= 1.0)) {
    throw Error("decide: exploration " + format_number(*exploration) +
                " is not allowed; expected a number from 0 to 1");
  }
  check_finite("decide: the context", context);
  // The features of every action, after the indicator of its id.
  StackMemory<8192> memory;
  std::pmr::vector<HashedFeature> features(memory.resource());
  std::size_t total = actions.size();
  for (const OfferedAction& action : actions) total += action.features.size();
  features.reserve(total);
  std::pmr::vector<JointAction> joint(memory.resource());
  joint.reserve(actions.size());
  for (const OfferedAction& action : actions) {
    check_finite("decide: an action", action.features);
    const std::size_t start = features.size();
    features.push_back(id_feature(action.id));
    features.insert(features.end(), action.features.begin(), action.features.end());
    joint.push_back({HashedFeatures(features).subspan(start)});
  }
  std::pmr::vector<double> numbers(7 * actions.size(), memory.resource());
  const std::span<double> value(numbers.data(), actions.size());
  double* disagreement = numbers.data() + 5 * actions.size();
  double* variance = disagreement + actions.size();
  if constexpr (DisagreeingWeights<Weights>) {
    weights.judge(context, joint, value, {disagreement, actions.size()});
  } else {
    weights.values(context, joint, value);
  }
  for (double& v : value) v = experience.bounded(v);

  // The numbers of the actions that may be chosen, without gaps.
  double* offered = numbers.data() + actions.size();
  double* width = offered + actions.size();
  double* probability = width + actions.size();
  double* scratch = probability + actions.size();
  const SauPrior prior = rule.prior();
  const double pooled = prior.pool * experience.residuals.mean();
  std::size_t free = 0;
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const ActionStatistics* known = table.find(joint[a].features.front().hash);
    const double n = known == nullptr ? 1.0 : static_cast<double>(known->count);
    const double own = known == nullptr ? prior.start : known->squares, squares = own + pooled;
    out[a] = {.value = value[a],
              .spread = std::sqrt(squares) / n,
              .count = known == nullptr ? 0 : known->count,
              .variance = squares / n,
              .probability = 0.0,
              .pooled = prior.pool > 0.0 ? pooled : 0.0};
    if constexpr (DisagreeingWeights<Weights>) {
      out[a].disagreement = disagreement[a];
      if constexpr (std::same_as<typename Rule<S>::Evidence, SauState>) {
        out[a].bonus = disagreement_bonus(disagreement[a], out[a].variance);
      }
      disagreement[free] = disagreement[a];
    }
    if (actions[a].excluded) continue;
    variance[free] = out[a].variance;
    if constexpr (requires { rule.evidence.width_of(n, squares); }) {
      width[free] = rule.evidence.width_of(n, squares);
    }
    joint[free] = joint[a];
    offered[free++] = value[a];
  }
  if (free == 0) throw Error("decide: every action is excluded, or there is none");
  using Source = WeightsSource<Weights>;
  const Source source{
      weights, context, std::span(joint).first(free), {scratch, free}, {disagreement, free}};
  rule.strategy.probabilities(IdOffer<Source>({.value = {offered, free},
                                               .width = {width, free},
                                               .variance = {variance, free},
                                               .learned = experience.learned,
                                               .exploration = exploration},
                                              source),
                              std::span<double>(probability, free));
  if (rule.floor > 0.0) raise_to_floor(rule.floor, {probability, free});
  for (std::size_t a = 0, next = 0; a < actions.size(); ++a) {
    if (!actions[a].excluded) out[a].probability = probability[next++];
  }
}

// The most used actions, with S2_a as the strategy sees it.
inline std::vector<ActionRecord> known_actions(const ActionTable& table, const SauPrior& prior,
                                               const Experience& experience, std::size_t limit) {
  std::vector<ActionRecord> records = table.most_counted(limit);
  const double pooled = prior.pool * experience.residuals.mean();
  for (ActionRecord& record : records) record.squares += pooled;
  return records;
}

template <class Weights>
std::vector<MemberRecord> members_of(const Weights& weights) {
  if constexpr (requires { weights.members(); }) return weights.members();
  return {};
}

// What OfferAgent::published() returns.
template <class Weights, Strategy S>
class PublishedOfferAgent final : public OfferAgent {
 public:
  PublishedOfferAgent(std::string spec, Weights weights, Rule<S> rule, ActionTable table,
                      Experience experience, RewardRange rewards, std::string fault)
      : spec_(std::move(spec)),
        weights_(std::move(weights)),
        rule_(std::move(rule)),
        table_(std::move(table)),
        experience_(experience),
        rewards_(rewards),
        fault_(std::move(fault)) {}

  const std::string& spec() const noexcept override { return spec_; }
  void decide(HashedFeatures context, std::span<const OfferedAction> actions,
              std::optional<double> exploration, std::span<Forecast> out) const override {
    decide_among(weights_, rule_, table_, experience_, context, actions, exploration, out);
  }
  RewardRange rewards() const noexcept override { return rewards_; }
  std::uint64_t learned() const noexcept override { return experience_.learned; }
  std::string fault() const override { return fault_; }
  std::vector<MemberRecord> members() const override { return members_of(weights_); }
  std::vector<ActionRecord> actions(std::size_t limit) const override {
    return known_actions(table_, rule_.prior(), experience_, limit);
  }
  std::size_t action_count() const noexcept override { return table_.size(); }

  void learn(HashedFeatures, const OfferedAction&, double, double) override { refuse("learn"); }
  std::shared_ptr<const OfferAgent> published() override { refuse("be published"); }
  void save(StateWriter&) const override { refuse("be saved"); }
  void load(StateReader&) override { refuse("be loaded"); }

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw Error(std::string("a published copy of an agent cannot ") + what);
  }

  std::string spec_;
  Weights weights_;
  Rule<S> rule_;
  ActionTable table_;
  Experience experience_;
  RewardRange rewards_;
  std::string fault_;
};

// A joint model, a strategy and the statistics of the action ids.
template <JointModel M, Strategy S>
class OfferAgentOf final : public OfferAgent {
 public:
  OfferAgentOf(std::string spec, M model, S strategy, const IdOptions& ids)
      : spec_(std::move(spec)),
        model_(std::move(model)),
        rule_(std::move(strategy), ids.floor),
        table_(ids.actions, rule_.prior().start) {}

  const std::string& spec() const noexcept override { return spec_; }

  void decide(HashedFeatures context, std::span<const OfferedAction> actions,
              std::optional<double> exploration, std::span<Forecast> out) const override {
    decide_among(model_.weights(), rule_, table_, experience_, context, actions, exploration, out);
  }

  void learn(HashedFeatures context, const OfferedAction& action, double value,
             double reward) override {
    if (!std::isfinite(value)) throw Error("learn: the value predicted is not finite");
    if (!kRewards.contains(reward)) {
      throw Error("learn: reward " + format_number(reward) + " is not allowed; expected " +
                  format_number(kRewards.min) + " to " + format_number(kRewards.max));
    }
    check_finite("learn: the context", context);
    check_finite("learn: the action", action.features);
    features_.assign(1, id_feature(action.id));
    features_.insert(features_.end(), action.features.begin(), action.features.end());
    experience_.add(reward);
    if (rule_.prior().pool > 0.0) experience_.residuals.add(reward - value);
    table_.observe(features_.front().hash, action.id, reward - value, reward, experience_.learned);
    model_.learn(context, {features_}, reward);
    published_.reset();
  }

  RewardRange rewards() const noexcept override { return kRewards; }
  std::uint64_t learned() const noexcept override { return experience_.learned; }
  std::string fault() const override { return model_.fault(); }
  std::vector<MemberRecord> members() const override { return members_of(model_.weights()); }
  std::vector<ActionRecord> actions(std::size_t limit) const override {
    return known_actions(table_, rule_.prior(), experience_, limit);
  }
  std::size_t action_count() const noexcept override { return table_.size(); }

  std::shared_ptr<const OfferAgent> published() override {
    if (!published_) {
      published_ = std::make_shared<PublishedOfferAgent<typename M::Weights, S>>(
          spec_, model_.published(), rule_, table_.shared(), experience_, kRewards, model_.fault());
    }
    return published_;
  }

  void save(StateWriter& writer) const override {
    state(experience_, writer, rule_.prior().pool > 0.0);
    table_.save(writer);
    model_.save(writer);
  }
  void load(StateReader& reader) override {
    published_.reset();
    state(experience_, reader, rule_.prior().pool > 0.0);
    table_.load(reader);
    model_.load(reader);
  }

 private:
  static constexpr RewardRange kRewards = [] {
    if constexpr (requires { M::kRewards; }) {
      return rewards_with<S>(M::kRewards);
    } else {
      return rewards_with<S>(RewardRange{});
    }
  }();

  static void state(auto& experience, auto&& field, bool pooled) {
    field("learned", experience.learned);
    field("lowest_reward", experience.lowest);
    field("highest_reward", experience.highest);
    if (!pooled) return;
    field("pooled_count", experience.residuals.count);
    field("pooled_squares", experience.residuals.squares);
  }

  std::string spec_;
  M model_;
  Rule<S> rule_;
  ActionTable table_;
  Experience experience_;
  std::vector<HashedFeature> features_;          // of the action being learned from
  std::shared_ptr<const OfferAgent> published_;  // null once something was learned
};

}  // namespace sau
