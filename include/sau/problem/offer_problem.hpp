#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/model/joint_features.hpp"

namespace sau {

// What a step begins with, where actions come and go: the features of the context, and the actions
// on offer. A view: it is valid until the problem's next step.
struct Situation {
  HashedFeatures context;
  std::span<const OfferedAction> actions;  // at least one is not excluded
};

// One trial of a problem whose actions come and go. Each action has an id and features of its own.
// Features are hashed by their names as those of a request to the service are. A step is next(),
// then pull(), then regret(); actions are numbered from 0 in the order in which they are offered.
// A step makes the same sequence of generator calls whatever the action, so that all agents on the
// same stream meet the same offers and the same noise.
class OfferProblem {
 public:
  virtual ~OfferProblem() = default;

  // The rewards that pull() can return.
  virtual RewardRange rewards() const = 0;
  // The horizon a trial has when nobody asks for another.
  virtual std::uint64_t default_steps() const = 0;

  // A fingerprint of the data it is made of; empty where its spec says all.
  virtual std::string data() const { return {}; }

  virtual Situation next(Rng& rng) = 0;
  // The reward of playing this one of the actions on offer.
  virtual double pull(Action action, Rng& rng) = 0;
  // What `action` gives away in this step against the best that was on offer.
  virtual double regret(Action action) const = 0;
};

}  // namespace sau
