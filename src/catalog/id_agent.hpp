#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/id_rule.hpp"
#include "sau/agent/action_table.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/model/any_model.hpp"

namespace sau {

// What an agent knows besides its model.
struct Experience {
  std::uint64_t learned = 0;           // rewards
  double lowest = 0.0, highest = 0.0;  // of them; 0 when there is none
  PooledResiduals residuals = {};      // only if the strategy wants them
  IdTotals totals = {};                // since the model started anew

  void add(double reward) noexcept;
  // A mean lies between the lowest and the highest reward, whatever a model predicts for features
  // larger than any it has seen.
  double bounded(double value) const noexcept;
};

// Everything that a decision needs besides the model.
struct IdMemory {
  std::shared_ptr<const IdRule> rule;
  double floor = 0.0;  // under the probabilities
  ActionTable table;
  Experience experience = {};

  void decide(const AnyJointWeights& weights, HashedFeatures context,
              std::span<const OfferedAction> actions, std::optional<double> exploration,
              std::span<Forecast> out) const;
  // Records the reward of an id.
  void observe(std::uint64_t hash, std::string_view id, const IdLesson& lesson);
  // The most used actions, with S2_a as the strategy sees it.
  std::vector<ActionRecord> actions(std::size_t limit) const;
};

// A joint model, a strategy and the records of the action ids.
class IdAgent final : public OfferAgent {
 public:
  IdAgent(std::string spec, std::unique_ptr<AnyJointModel> model,
          const std::shared_ptr<const IdRule>& rule, const IdOptions& ids);

  const std::string& spec() const noexcept override { return spec_; }
  void decide(HashedFeatures context, std::span<const OfferedAction> actions,
              std::optional<double> exploration, std::span<Forecast> out) const override {
    memory_.decide(model_->weights(), context, actions, exploration, out);
  }
  void learn(HashedFeatures context, const OfferedAction& action, double value, double reward,
             double probability) override;

  RewardRange rewards() const noexcept override { return rewards_; }
  bool uses_probability() const noexcept override { return memory_.rule->uses_probability(); }
  std::uint64_t learned() const noexcept override { return memory_.experience.learned; }
  std::string fault() const override { return model_->fault(); }
  std::vector<MemberRecord> members() const override { return model_->weights().members(); }
  std::vector<ActionRecord> actions(std::size_t limit) const override {
    return memory_.actions(limit);
  }
  std::size_t action_count() const noexcept override { return memory_.table.size(); }

  std::shared_ptr<const OfferAgent> published() override;

  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;

 private:
  ActionTable empty_table() const;
  void restart();
  void state(auto& experience, auto&& field) const;

  std::string spec_;
  std::unique_ptr<AnyJointModel> model_;
  RewardRange rewards_;
  IdOptions ids_;
  IdMemory memory_;
  std::vector<HashedFeature> features_;          // of the action being learned from
  std::shared_ptr<const OfferAgent> published_;  // null once something was learned
};

}  // namespace sau
