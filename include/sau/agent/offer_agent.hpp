#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/types.hpp"
#include "sau/model/committee_options.hpp"
#include "sau/model/joint_features.hpp"

namespace sau {

// What an agent predicts for an offered action.
struct Forecast {
  double value = 0.0;         // predicted mean reward
  double spread = 0.0;        // sqrt(S2_a) / n_a
  std::uint64_t count = 0;    // n_a, rewards learned from under this id
  double variance = 0.0;      // tau2_a = S2_a / n_a, of the residuals
  double probability = 0.0;   // exact, of being chosen; 0 when excluded
  double disagreement = 0.0;  // standard deviation of a committee's opinions, else 0
  double bonus = 0.0;         // what the strategy adds to the value for that
  double pooled = 0.0;        // the part of S2_a that comes from the residuals of all actions
};

inline constexpr double kUnknownProbability = std::numeric_limits<double>::quiet_NaN();

// What is known about an action id.
struct ActionRecord {
  std::string id;
  std::uint64_t count = 0;  // rewards learned from
  double squares = 1.0;     // S2_a, with pooled residuals if the strategy adds them
  double reward_sum = 0.0;
};

// A model, a strategy, and SAU's two numbers per action id: an agent to which actions are offered
// at every decision, each with its own id and features. It uses the same models and strategies as
// AnyAgent. A plain value used by one thread, except that any number of threads may call the const
// functions of a published copy.
class OfferAgent {
 public:
  virtual ~OfferAgent() = default;

  // The canonical spec: model+strategy, and +ids(...) if its settings are not the defaults.
  virtual const std::string& spec() const noexcept = 0;

  // The rewards it can learn from.
  virtual RewardRange rewards() const noexcept = 0;

  // The forecast of every action: `out` is as long as `actions`, at least one of which is not
  // excluded. `exploration` is a share of uniform choices that replaces the strategy's own share;
  // strategies that sample do not use it.
  virtual void decide(HashedFeatures context, std::span<const OfferedAction> actions,
                      std::optional<double> exploration, std::span<Forecast> out) const = 0;

  // Learns the reward of this action, which was chosen when its predicted mean was `value` (eq. 5)
  // and its probability `probability`. Most agents do not use the probability; one that does throws
  // an Error if it is unknown.
  virtual void learn(HashedFeatures context, const OfferedAction& action, double value,
                     double reward, double probability = kUnknownProbability) = 0;
  virtual bool uses_probability() const noexcept = 0;

  // How many rewards were learned from.
  virtual std::uint64_t learned() const noexcept = 0;
  // What went wrong for good; empty while all is well.
  virtual std::string fault() const = 0;
  // The members of a committee; empty for other models.
  virtual std::vector<MemberRecord> members() const { return {}; }
  // The known action ids, highest count first, at most `limit`.
  virtual std::vector<ActionRecord> actions(std::size_t limit) const = 0;
  virtual std::size_t action_count() const noexcept = 0;

  // A copy to decide with. It shares what has not changed since the last copy, and cannot learn.
  virtual std::shared_ptr<const OfferAgent> published() = 0;

  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
};

}  // namespace sau
