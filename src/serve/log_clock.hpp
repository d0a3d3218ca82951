#pragma once

#include <optional>
#include <string>

#include "sau/store/record.hpp"

namespace sau::detail {

// What the machine's two clocks say at one moment: the time of day, which may be set, and the time
// since some moment, which may not.
struct ClockReading {
  Milliseconds wall = 0, steady = 0;
};

// The time of the log, by which events expire and are removed. It follows the wall clock, but never
// goes back, never stands still for long, and is never moved far by one jump of the clock:
//
//   the wall clock is             the log's clock
//   up to an hour ahead           follows it
//   further ahead                 goes on at its own pace for an hour, then believes it
//   up to a minute behind         waits for it
//   further behind                goes on at its own pace
//
// Removal relies on the trusted time, which is the log's time or earlier: it moves at most four
// times as fast as time passes while the service runs. So no jump of the clock, and no start with a
// wrong one, removes anything by itself: an hour of it removes what four hours would have.
class LogClock {
 public:
  // Goes on where a log ends; both times are 0 for a new one. At a start the wall clock is believed
  // at once when it is up to seven days ahead: a service may have been stopped for that long.
  void start(Milliseconds time, Milliseconds trusted, const ClockReading& now);

  // The time of the log now. Must be asked often: what passes between two calls counts for an hour
  // at most.
  Milliseconds advance(const ClockReading& now);

  Milliseconds time() const noexcept { return time_; }
  Milliseconds trusted() const noexcept { return trusted_; }
  // How far it is ahead of the wall clock.
  Milliseconds offset() const noexcept { return time_ - wall_; }
  // What the operator should know, once each.
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
