#include "serve/timeline.hpp"

#include <algorithm>

namespace sau::detail {

void Period::add(const Period& other) noexcept {
  ranks += other.ranks;
  rewards += other.rewards;
  learned += other.learned;
  explored += other.explored;
  agreed += other.agreed;
  reward_sum += other.reward_sum;
  baseline_sum += other.baseline_sum;
  gain_squares += other.gain_squares;
}

Period& Timeline::at(Milliseconds steady) {
  const Milliseconds begin = steady - steady % step_;
  if (periods_.empty() || periods_.back().time < begin) {
    periods_.push_back({.time = begin});
    if (periods_.size() > count_) periods_.pop_front();
  }
  return periods_.back();
}

std::vector<Period> Timeline::until(const ClockReading& now) const {
  std::vector<Period> all;
  if (periods_.empty()) return all;
  const Milliseconds end = now.steady - now.steady % step_;
  const Milliseconds ahead = (now.wall - now.wall % 1000) - (now.steady - now.steady % 1000);
  Milliseconds time =
      std::max(periods_.front().time, end - static_cast<Milliseconds>(count_ - 1) * step_);
  auto next = std::ranges::lower_bound(periods_, time, {}, &Period::time);
  for (; time <= end; time += step_) {
    all.push_back(next != periods_.end() && next->time == time ? *next++ : Period{});
    all.back().time = time + ahead;
  }
  return all;
}

}  // namespace sau::detail
