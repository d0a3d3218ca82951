#include "sau/agent/recorder.hpp"

#include <algorithm>
#include <cmath>

namespace sau {

std::vector<std::uint64_t> curve_points(std::uint64_t steps) {
  std::vector<std::uint64_t> points;
  constexpr std::uint64_t kParts = 100;
  for (std::uint64_t i = 1; i <= kParts; ++i) {
    // steps * i / kParts, rounded up, without overflow
    points.push_back(steps / kParts * i + (steps % kParts * i + kParts - 1) / kParts);
  }
  for (std::uint64_t decade = 1; decade <= steps; decade *= 10) {
    for (const std::uint64_t factor : {1U, 2U, 5U}) {
      if (decade <= steps / factor) points.push_back(decade * factor);
    }
    if (decade > steps / 10) break;
  }
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

Recorder::Recorder(Action actions, std::uint64_t steps, std::span<const std::uint64_t> points,
                   const TrialControl& control)
    : next_point_(points.empty() ? 0 : points.front()),
      tail_start_(steps - (steps + 9) / 10),
      steps_(steps),
      actions_(actions),
      plays_(actions),
      wrong_(actions),
      points_(points),
      control_(control) {
  curve_.reserve(points.size());
}

bool Recorder::step(std::string_view id, std::size_t offered, double reward, double regret) {
  if (n_ < tail_start_) return step(0, reward, regret);
  const auto [found, is_new] =
      place_.try_emplace(std::string(id), static_cast<Action>(plays_.size()));
  if (is_new) {
    plays_.push_back(0);
    wrong_.push_back(0);
  }
  by_chance_ += 1.0 / static_cast<double>(offered);
  return step(found->second, reward, regret);
}

bool Recorder::reach_point() noexcept {
  curve_.push_back(regret_);
  next_point_ = curve_.size() < points_.size() ? points_[curve_.size()] : 0;
  if (control_.steps != nullptr) control_.steps->store(n_, std::memory_order_relaxed);
  return control_.stop == nullptr || !control_.stop->load(std::memory_order_relaxed);
}

namespace {

// Whether a uniform choice, which makes `expected` plays without regret on average, would make as
// few as `right` in less than one of 1000 trials; `right` is less than half of `expected`. A
// Poisson number is as small more often than the sum of the choices is (Anderson and Samuels 1967).
bool hardly_by_chance(std::uint64_t right, double expected) {
  constexpr double kRarely = 1e-3, kMany = 50.0;
  if (expected > kMany) return true;  // Chernoff: at most exp(-0.153 expected)
  double one = std::exp(-expected), chance = one;
  for (std::uint64_t n = 1; n <= right && chance < kRarely; ++n) {
    one *= expected / static_cast<double>(n);
    chance += one;
  }
  return chance < kRarely;
}

}  // namespace

TrialRecord Recorder::record() const {
  const std::uint64_t tail = n_ > tail_start_ ? n_ - tail_start_ : 0;
  bool locked = false;
  std::uint64_t right = 0;
  for (std::size_t a = 0; a < plays_.size(); ++a) {
    locked = locked || (plays_[a] * 100 >= tail * 95 && wrong_[a] * 2 >= plays_[a]);
    right += plays_[a] - wrong_[a];
  }
  const double by_chance =
      actions_ > 0 ? static_cast<double>(tail) / static_cast<double>(actions_) : by_chance_;
  const bool lost =
      static_cast<double>(right * 2) < by_chance && hardly_by_chance(right, by_chance);
  constexpr std::uint64_t kFewest = 10;  // fewer plays are too few to tell
  const bool stuck = tail >= kFewest && (locked || lost);
  return {.regret = regret_, .reward = reward_, .stuck = stuck, .curve = curve_};
}

}  // namespace sau
