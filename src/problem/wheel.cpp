#include "sau/problem/wheel.hpp"

#include <cmath>
#include <numbers>

namespace sau {

Context Wheel::next(Rng& rng) {
  const double radius = std::sqrt(rng.uniform());
  const double angle = 2.0 * std::numbers::pi * rng.uniform();
  x_ = {radius * std::cos(angle), radius * std::sin(angle)};
  reward_ = {1.2, 1.0, 1.0, 1.0, 1.0};
  if (radius > delta_) reward_[1 + (x_[0] < 0.0 ? 2U : 0U) + (x_[1] < 0.0 ? 1U : 0U)] = 50.0;
  for (double& reward : reward_) reward += 0.01 * rng.normal();
  best_ = *std::ranges::max_element(reward_);
  return x_;
}

}  // namespace sau
