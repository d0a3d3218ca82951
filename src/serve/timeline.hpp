#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "serve/log_clock.hpp"

namespace sau::detail {

// What happened in one period.
struct Period {
  Milliseconds time = 0;  // its beginning; in Timeline::until(), the time of day
  std::uint64_t ranks = 0, rewards = 0, learned = 0, explored = 0, agreed = 0;
  double reward_sum = 0.0, baseline_sum = 0.0;
  double gain_squares = 0.0;  // of the differences of the two, summed

  // Adds what happened, and keeps the time.
  void add(const Period& other) noexcept;
};

// The latest periods of equal length. Its memory is bounded. Periods are counted by a clock that
// nobody sets, so that a jump of the time of day leaves no gap.
class Timeline {
 public:
  Timeline(Milliseconds step, std::size_t count) : step_(step), count_(count) {}

  // The period with this time of the clock that nobody sets.
  Period& at(Milliseconds steady);
  // Every period up to now, oldest first.
  std::vector<Period> until(const ClockReading& now) const;
  Milliseconds step() const noexcept { return step_; }

 private:
  Milliseconds step_;
  std::size_t count_;
  std::deque<Period> periods_;
};

}  // namespace sau::detail
