#include "sau/problem/wheel.hpp"

#include <cmath>
#include <numbers>

namespace sau {
namespace {

constexpr std::uint64_t kWheelActions = 5;

}  // namespace

void WheelOptions::check() const { check_place("wheel", best, kWheelActions); }

Wheel::Wheel(const Stream& stream, const Options& options)
    : delta_(options.delta), inner_(best_action(options.best, kWheelActions, stream)) {}

Context Wheel::next(Rng& rng) {
  const double radius = std::sqrt(rng.uniform());
  const double angle = 2.0 * std::numbers::pi * rng.uniform();
  x_ = {radius * std::cos(angle), radius * std::sin(angle)};
  reward_.fill(1.0);
  reward_[inner_] = 1.2;
  if (radius > delta_) {
    const Action quadrant = (x_[0] < 0.0 ? 2U : 0U) + (x_[1] < 0.0 ? 1U : 0U);
    reward_[quadrant + (quadrant < inner_ ? 0U : 1U)] = 50.0;
  }
  for (double& reward : reward_) reward += 0.01 * rng.normal();
  best_ = *std::ranges::max_element(reward_);
  return x_;
}

}  // namespace sau
