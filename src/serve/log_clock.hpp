#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sau/store/log_head.hpp"

namespace sau::detail {

// The machine's two clocks, read at one moment: the time of day, which somebody may set, and a
// steady clock, which nobody can set.
struct ClockReading {
  Milliseconds wall = 0, steady = 0;
};

// The log's clock: events are dated and removed by it. It follows the wall clock, but never goes
// back, never stands still for long, and never moves far when the wall clock jumps:
//
//   the wall clock is             the log's clock
//   up to an hour ahead           follows it
//   further ahead                 goes on at its own pace for an hour, then believes it
//   up to a minute behind         waits for it
//   further behind                goes on at its own pace
//
// What it skips when it jumps is a leap. Events do not wait through leaps: an event expires when
// its waiting time has passed by the steady clock while the service ran, to a second, and never
// earlier than that because of a clock that jumped. The time for which the service is stopped does
// not count either: no reward could come, and only the wall clock would know how long it was.
//
// Removal relies on the trusted time. It is never later than the log's time, and moves at most four
// times as fast as real time, and only while the service runs. If the wall clock is behind the log,
// it follows real time, because the log's time may be the wrong one. So no jump of the clock, and
// no start with a wrong clock, removes anything by itself: an hour with a wrong clock removes at
// most four hours' worth of the log.
class LogClock {
 public:
  // Continues where a log ends; both times are 0 for a new log. Here the wall clock is believed if
  // it is up to seven days ahead: the service may have been stopped for that long.
  void start(const LogHead& head, std::vector<ClockLeap> leaps, const ClockReading& now);

  // Returns the log's time now. Must be called often: the time between two calls counts for at most
  // an hour.
  Milliseconds advance(const ClockReading& now);

  // Instead of advance(), for a log that is dated by a stream: the time of the next message. It
  // depends on the messages alone. A pause of more than ten seconds is a leap: the stream could not
  // be reached, and so could no reward.
  Milliseconds follow(Milliseconds message);

  Milliseconds time() const noexcept { return time_; }
  Milliseconds trusted() const noexcept { return trusted_; }
  // When an event of the time `begin` has waited for `wait`.
  Milliseconds end_of_wait(Milliseconds begin, Milliseconds wait) const {
    return sau::end_of_wait(begin, wait, leaps_);
  }
  const std::vector<ClockLeap>& leaps() const noexcept { return leaps_; }
  // No event before this time waits any longer.
  void forget_leaps(Milliseconds before);
  // How far it is ahead of the wall clock.
  Milliseconds offset() const noexcept { return time_ - wall_; }
  // A message for the operator, if there is a new one.
  std::optional<std::string> take_note();

 private:
  enum class Wall { kFollowed, kAhead, kBehind };

  void enter(Wall wall, Milliseconds off);
  void leap(Milliseconds from, Milliseconds size);

  Milliseconds time_ = 0, trusted_ = 0, wall_ = 0, steady_ = 0;
  Wall state_ = Wall::kFollowed;
  Milliseconds ahead_for_ = 0;
  Milliseconds skipped_ = 0;  // not waited through, and not in a leap yet
  std::vector<ClockLeap> leaps_;
  std::optional<std::string> note_;
};

}  // namespace sau::detail
