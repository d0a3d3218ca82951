#include "sau/model/training.hpp"

#include <cmath>

#include "sau/core/error.hpp"

namespace sau {

OptimizerStep make_optimizer_step(Optimizer optimizer, double rate, std::uint64_t done) noexcept {
  if (optimizer == Optimizer::kRmsprop) {
    return {.rate = static_cast<float>(rate), .keep2 = 0.99F, .take2 = 0.01F, .epsilon = 1e-8F};
  }
  if (optimizer == Optimizer::kSgd) {
    // RMSprop whose root is kept at 0 and whose epsilon is 1: w <- w - rate g.
    return {.rate = static_cast<float>(rate), .keep2 = 0.0F, .take2 = 0.0F, .epsilon = 1.0F};
  }
  constexpr double kKeep1 = 0.9, kKeep2 = 0.999;
  const double steps = static_cast<double>(done) + 1.0;
  const double correction1 = 1.0 - std::pow(kKeep1, steps);
  const double correction2 = 1.0 - std::pow(kKeep2, steps);
  return {.adam = true,
          .rate = static_cast<float>(rate / correction1),
          .keep1 = static_cast<float>(kKeep1),
          .take1 = static_cast<float>(1.0 - kKeep1),
          .keep2 = static_cast<float>(kKeep2),
          .take2 = static_cast<float>(1.0 - kKeep2),
          .scale2 = static_cast<float>(1.0 / std::sqrt(correction2)),
          .epsilon = 1e-8F};
}

std::string TrainingRounds::text(std::uint64_t history) const {
  const auto diverged = [&](const char* what) {
    return std::string("diverged: ") + what + " after mini-batch " + std::to_string(updates) +
           "; try a smaller lr";
  };
  switch (fault) {
    case kLoss:
      return diverged("the loss is not finite");
    case kWeight:
      return diverged("a weight is not finite or can no longer change");
    case kOutput:
      return diverged("an output is not finite");
    case kMemory:
      return "no memory for a history of more than " + std::to_string(history) +
             " steps; set history";
    case kInput:
      return "nothing learned: every one of " + std::to_string(steps) +
             " contexts had a number beyond +-1e9; scale the columns";
    default:
      return {};
  }
}

void TrainingRounds::check() const {
  if (fault > kInput) throw Error("its fault is " + std::to_string(fault) + ", expected 0 to 5");
}

}  // namespace sau
