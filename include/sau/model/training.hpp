#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "sau/kernel/mlp_kernel.hpp"

namespace sau {

enum class Optimizer { kRmsprop, kAdam, kSgd };
constexpr std::array<std::string_view, 3> enum_names(Optimizer) {
  return {"rmsprop", "adam", "sgd"};
}

// When a round of training takes place. `even`: after every `every` steps. `early`: four times as
// often in the first 500 steps, then ever less often, and from step 2500 on after 1.25 times as
// many steps. With every=20 both have cost the same after 17,820 steps.
enum class Schedule { kEven, kEarly };
constexpr std::array<std::string_view, 2> enum_names(Schedule) { return {"even", "early"}; }

// The steps between two rounds at this step.
constexpr std::uint64_t training_interval(Schedule schedule, std::uint64_t every,
                                          std::uint64_t step) noexcept {
  if (schedule == Schedule::kEven) return every;
  const std::uint64_t least = (every + 3) / 4, most = every + every / 4;
  return std::clamp(step * every / 2000, least, most);
}

// The step after `done` mini-batches.
OptimizerStep make_optimizer_step(Optimizer optimizer, double rate, std::uint64_t done) noexcept;

// The progress of a network's training. After every `every` steps, from step `start` on, there is a
// round of `updates` mini-batches. A network that diverged stops learning.
struct TrainingRounds {
  // kOutput is no longer set, but old models may have it.
  enum Fault : std::uint32_t { kNone, kLoss, kWeight, kOutput, kMemory, kInput };

  std::uint64_t steps = 0, updates = 0;
  std::uint32_t fault = kNone;

  // Counts a step. If it is time for a round: calls mini_batch(step), which returns the loss, for
  // every mini-batch, and then finite(), which says whether all weights are finite.
  template <class Options, class MiniBatch, class Finite>
  void step(const Options& options, MiniBatch&& mini_batch, Finite&& finite) {
    ++steps;
    std::uint64_t every = options.every;
    if constexpr (requires { options.schedule; }) {
      every = training_interval(options.schedule, every, steps);
    }
    if (steps < options.start || steps % every != 0) return;
    for (std::uint64_t i = 0; i < options.updates; ++i) {
      double rate = options.lr;
      if constexpr (requires { options.lr_decay; }) {
        rate = options.lr / (1.0 + options.lr_decay * static_cast<double>(updates));
      }
      const double loss = mini_batch(make_optimizer_step(options.optimizer, rate, updates));
      ++updates;
      if (!std::isfinite(loss)) {
        fault = kLoss;
        return;
      }
    }
    if (!finite()) fault = kWeight;
  }

  // Empty while all is well; otherwise what went wrong, and when. `history` is the number of steps
  // remembered.
  std::string text(std::uint64_t history) const;
  // Throws Error if the loaded fault is not one of these.
  void check() const;
};

}  // namespace sau
