#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/model/joint_features.hpp"

namespace sau {

// What a step begins with if actions come and go: the features of the context, and the actions on
// offer. A view, valid until the problem's next step.
struct Situation {
  HashedFeatures context;
  std::span<const OfferedAction> actions;  // at least one is not excluded
};

// One trial of a problem whose actions come and go. Each action has its own id and features.
// Features are hashed by name, as in a request to the service. A step is next(), then pull(), then
// regret(); actions are numbered from 0 in the order in which they are offered.
// A step makes the same sequence of generator calls whatever the action, so that all agents on the
// same stream meet the same offers and the same noise.
class OfferProblem {
 public:
  virtual ~OfferProblem() = default;

  // The rewards that pull() can return.
  virtual RewardRange rewards() const = 0;
  // The default horizon of a trial.
  virtual std::uint64_t default_steps() const = 0;

  // A fingerprint of its data; empty if its spec says everything.
  virtual std::string data() const { return {}; }

  virtual Situation next(Rng& rng) = 0;
  // The offer of this step with the names of its features: the parts contextFeatures, actions and
  // excludedActions of a request to the service, as JSON. Valid after next().
  virtual std::string request() = 0;
  // The reward of playing this action, one of those on offer.
  virtual double pull(Action action, Rng& rng) = 0;
  // What `action` loses in this step against the best action on offer.
  virtual double regret(Action action) const = 0;
};

}  // namespace sau
