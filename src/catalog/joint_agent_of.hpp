#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sau/agent/action_table.hpp"
#include "sau/agent/joint_agent.hpp"
#include "sau/core/error.hpp"
#include "sau/core/stack_memory.hpp"
#include "sau/core/text.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/joint_strategy.hpp"
#include "sau/model/joint_model.hpp"

namespace sau {

// The indicator feature of an action's id; the hash also tells the id's statistics.
HashedFeature id_feature(std::string_view id) noexcept;

// Throws Error for a feature whose value is not a finite number.
void check_finite(const char* where, HashedFeatures features);

// What an agent knows beside its model.
struct Experience {
  std::uint64_t learned = 0;           // rewards
  double lowest = 0.0, highest = 0.0;  // of them; 0 when there is none

  void add(double reward) noexcept {
    lowest = learned == 0 ? reward : std::min(lowest, reward);
    highest = learned == 0 ? reward : std::max(highest, reward);
    ++learned;
  }
  // A mean lies between the lowest and the highest reward, whatever a model says of features it has
  // never seen in such a size.
  double bounded(double value) const noexcept { return std::clamp(value, lowest, highest); }
};

// The outlooks of a joint agent whose model has these weights.
template <class Weights, JointStrategy S>
void decide_jointly(const Weights& weights, const S& strategy, const ActionTable& table,
                    const Experience& experience, HashedFeatures context,
                    std::span<const OfferedAction> actions, double exploration,
                    std::span<Outlook> out) {
  if (out.size() != actions.size()) {
    throw Error("decide: room for " + std::to_string(out.size()) + " actions, expected " +
                std::to_string(actions.size()));
  }
  if (!(exploration >= 0.0 && exploration <= 1.0)) {
    throw Error("decide: exploration " + format_number(exploration) +
                " is not allowed; expected a number from 0 to 1");
  }
  check_finite("decide: the context", context);
  // Every action's features behind the indicator of its id.
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
  std::pmr::vector<double> numbers(4 * actions.size(), memory.resource());
  const std::span<double> value(numbers.data(), actions.size());
  weights.values(context, joint, value);
  for (double& v : value) v = experience.bounded(v);

  // The numbers of the actions that may be chosen, without gaps.
  double* offered = numbers.data() + actions.size();
  double* spread = offered + actions.size();
  double* probability = spread + actions.size();
  std::size_t free = 0;
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const ActionStatistics* known = table.find(joint[a].features.front().hash);
    // An id never seen is taken for one whose only reward was predicted exactly: see JointOffer.
    const double n = known == nullptr ? 1.0 : static_cast<double>(known->count);
    const double squares = known == nullptr ? 1.0 : known->squares;
    out[a] = {.value = value[a],
              .spread = std::sqrt(squares) / n,
              .count = known == nullptr ? 0 : known->count,
              .variance = squares / n,
              .probability = 0.0};
    if (actions[a].excluded) continue;
    offered[free] = value[a];
    spread[free++] = out[a].spread;
  }
  if (free == 0) throw Error("decide: every action is excluded, or there is none");
  strategy.probabilities({.value = {offered, free},
                          .spread = {spread, free},
                          .learned = experience.learned,
                          .exploration = exploration},
                         {probability, free});
  for (std::size_t a = 0, next = 0; a < actions.size(); ++a) {
    if (!actions[a].excluded) out[a].probability = probability[next++];
  }
}

// What JointAgent::published() gives.
template <class Weights, JointStrategy S>
class PublishedJointAgent final : public JointAgent {
 public:
  PublishedJointAgent(std::string spec, Weights weights, S strategy, ActionTable table,
                      Experience experience, std::string fault)
      : spec_(std::move(spec)),
        weights_(std::move(weights)),
        strategy_(std::move(strategy)),
        table_(std::move(table)),
        experience_(experience),
        fault_(std::move(fault)) {}

  const std::string& spec() const noexcept override { return spec_; }
  void decide(HashedFeatures context, std::span<const OfferedAction> actions, double exploration,
              std::span<Outlook> out) const override {
    decide_jointly(weights_, strategy_, table_, experience_, context, actions, exploration, out);
  }
  std::uint64_t learned() const noexcept override { return experience_.learned; }
  std::string fault() const override { return fault_; }
  std::vector<ActionRecord> actions(std::size_t limit) const override {
    return table_.most_counted(limit);
  }
  std::size_t action_count() const noexcept override { return table_.size(); }

  void learn(HashedFeatures, const OfferedAction&, double, double) override { refuse("learn"); }
  std::shared_ptr<const JointAgent> published() override { refuse("be published"); }
  void save(StateWriter&) const override { refuse("be saved"); }
  void load(StateReader&) override { refuse("be loaded"); }

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw Error(std::string("a published copy of an agent cannot ") + what);
  }

  std::string spec_;
  Weights weights_;
  S strategy_;
  ActionTable table_;
  Experience experience_;
  std::string fault_;
};

// A joint model, a strategy and the statistics of the action ids.
template <JointModel M, JointStrategy S>
class JointAgentOf final : public JointAgent {
 public:
  JointAgentOf(std::string spec, M model, S strategy, std::uint64_t actions)
      : spec_(std::move(spec)),
        model_(std::move(model)),
        strategy_(std::move(strategy)),
        table_(actions) {}

  const std::string& spec() const noexcept override { return spec_; }

  void decide(HashedFeatures context, std::span<const OfferedAction> actions, double exploration,
              std::span<Outlook> out) const override {
    decide_jointly(model_.weights(), strategy_, table_, experience_, context, actions, exploration,
                   out);
  }

  void learn(HashedFeatures context, const OfferedAction& action, double value,
             double reward) override {
    if (!std::isfinite(value)) throw Error("learn: the value predicted is not finite");
    if (!RewardRange{}.contains(reward)) {
      throw Error("learn: reward " + format_number(reward) + " is not allowed; expected " +
                  format_number(RewardRange{}.min) + " to " + format_number(RewardRange{}.max));
    }
    check_finite("learn: the context", context);
    check_finite("learn: the action", action.features);
    features_.assign(1, id_feature(action.id));
    features_.insert(features_.end(), action.features.begin(), action.features.end());
    experience_.add(reward);
    table_.observe(features_.front().hash, action.id, reward - value, reward, experience_.learned);
    model_.learn(context, {features_}, reward);
    published_.reset();
  }

  std::uint64_t learned() const noexcept override { return experience_.learned; }
  std::string fault() const override { return model_.fault(); }
  std::vector<ActionRecord> actions(std::size_t limit) const override {
    return table_.most_counted(limit);
  }
  std::size_t action_count() const noexcept override { return table_.size(); }

  std::shared_ptr<const JointAgent> published() override {
    if (!published_) {
      published_ = std::make_shared<PublishedJointAgent<typename M::Weights, S>>(
          spec_, model_.published(), strategy_, table_.shared(), experience_, model_.fault());
    }
    return published_;
  }

  void save(StateWriter& writer) const override {
    state(experience_, writer);
    table_.save(writer);
    model_.save(writer);
  }
  void load(StateReader& reader) override {
    published_.reset();
    state(experience_, reader);
    table_.load(reader);
    model_.load(reader);
  }

 private:
  static void state(auto& experience, auto&& field) {
    field("learned", experience.learned);
    field("lowest_reward", experience.lowest);
    field("highest_reward", experience.highest);
  }

  std::string spec_;
  M model_;
  S strategy_;
  ActionTable table_;
  Experience experience_;
  std::vector<HashedFeature> features_;          // of the action being learned from
  std::shared_ptr<const JointAgent> published_;  // none once something was learned
};

}  // namespace sau
