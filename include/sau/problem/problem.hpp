#pragma once

#include <cstdint>
#include <string>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"

namespace sau {

// One trial of a bandit problem. A step is next(), then pull(), then regret().
// A step makes the same sequence of generator calls whatever the action, so that all agents on
// the same stream meet the same contexts and the same noise.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual Shape shape() const = 0;
  // The rewards that pull() can return.
  virtual RewardRange rewards() const = 0;
  // The default horizon of a trial.
  virtual std::uint64_t default_steps() const = 0;

  // A fingerprint of its data; empty if its spec says everything.
  virtual std::string data() const { return {}; }

  // The context of a new step; valid until the next call.
  virtual Context next(Rng& rng) = 0;
  // The reward of playing `action` in this step.
  virtual double pull(Action action, Rng& rng) = 0;
  // What `action` loses in this step against the best action. Negative only if the best is an
  // expected reward and the reward received was better.
  virtual double regret(Action action) const = 0;
};

}  // namespace sau
