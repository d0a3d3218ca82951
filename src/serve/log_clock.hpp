#pragma once

#include <optional>
#include <string>

#include "sau/store/record.hpp"

namespace sau::detail {

// The machine's two clocks, read at one moment: the time of day, which somebody may set, and a
// steady clock, which nobody can set.
struct ClockReading {
  Milliseconds wall = 0, steady = 0;
};

// The log's clock: events expire and are removed by it. It follows the wall clock, but never goes
// back, never stands still for long, and never moves far when the wall clock jumps:
//
//   the wall clock is             the log's clock
//   up to an hour ahead           follows it
//   further ahead                 goes on at its own pace for an hour, then believes it
//   up to a minute behind         waits for it
//   further behind                goes on at its own pace
//
// Removal relies on the trusted time. It is never later than the log's time, and moves at most four
// times as fast as real time, and only while the service runs. If the wall clock is behind the log,
// it keeps to real time: the log's time may be the wrong one. So no jump of the clock, and no start
// with a wrong clock, removes anything by itself: an hour with a wrong clock removes at most four
// hours' worth of the log.
class LogClock {
 public:
  // Continues where a log ends; both times are 0 for a new log. Here the wall clock is believed if
  // it is up to seven days ahead: the service may have been stopped for that long.
  void start(Milliseconds time, Milliseconds trusted, const ClockReading& now);

  // Returns the log's time now. Must be called often: the time between two calls counts for at most
  // an hour.
  Milliseconds advance(const ClockReading& now);

  Milliseconds time() const noexcept { return time_; }
  Milliseconds trusted() const noexcept { return trusted_; }
  // How far it is ahead of the wall clock.
  Milliseconds offset() const noexcept { return time_ - wall_; }
  // A message for the operator, if there is a new one.
  std::optional<std::string> take_note();

 private:
  enum class Wall { kFollowed, kAhead, kBehind };

  void enter(Wall wall, Milliseconds off);

  Milliseconds time_ = 0, trusted_ = 0, wall_ = 0, steady_ = 0;
  Wall state_ = Wall::kFollowed;
  Milliseconds ahead_for_ = 0;
  std::optional<std::string> note_;
};

}  // namespace sau::detail
