#include "serve/log_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sau::detail {
namespace {

constexpr Milliseconds kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute,
                       kDay = 24 * kHour;
constexpr Milliseconds kLargestStep = kHour, kBelieved = kHour, kHeld = kMinute;
constexpr Milliseconds kLongestStop = 7 * kDay;
constexpr Milliseconds kTrustedPace = 4;
constexpr Milliseconds kSmallestLeap = kSecond;
constexpr std::size_t kLeapsKept = 64;
constexpr Milliseconds kStreamPause = 10 * kSecond;

std::string in_words(Milliseconds duration) {
  if (duration >= 2 * kDay) return fmt::format("{} days", duration / kDay);
  if (duration >= 2 * kHour) return fmt::format("{} hours", duration / kHour);
  if (duration >= 2 * kMinute) return fmt::format("{} minutes", duration / kMinute);
  return fmt::format("{} seconds", duration / kSecond);
}

}  // namespace

void LogClock::start(const LogHead& head, std::vector<ClockLeap> leaps, const ClockReading& now) {
  const Milliseconds time = head.time, trusted = head.trusted_time;
  leaps_ = std::move(leaps);
  skipped_ = 0;
  wall_ = now.wall;
  steady_ = now.steady;
  state_ = Wall::kFollowed;
  ahead_for_ = 0;
  const bool is_new = time == 0;
  const bool too_far = !is_new && now.wall - time > kLongestStop;
  time_ = too_far ? time : std::max(time, now.wall);
  trusted_ = is_new ? time_ : std::min(time_, trusted);
  if (!is_new) leap(time, time_ - time);
  if (too_far) {
    enter(Wall::kAhead, now.wall - time);
  } else if (!is_new && now.wall - time > kLargestStep) {
    note_ = fmt::format(
        "the log's time moves on by {}, to that of the clock; waiting events still wait for the "
        "rest of their time",
        in_words(now.wall - time));
  }
  if (time - now.wall > kHeld) enter(Wall::kBehind, time - now.wall);
}

Milliseconds LogClock::advance(const ClockReading& now) {
  const Milliseconds passed = std::clamp<Milliseconds>(now.steady - steady_, 0, kLargestStep);
  const Milliseconds before = time_;
  steady_ = now.steady;
  wall_ = now.wall;
  const Milliseconds expected = time_ + passed;
  const Milliseconds ahead = now.wall - expected;
  if (ahead > kLargestStep) {
    enter(Wall::kAhead, ahead);
    time_ = expected;
    // One reading counts for at most a minute, so that two readings cannot make up an hour.
    ahead_for_ += std::min(passed, kMinute);
    if (ahead_for_ >= kBelieved) {
      time_ = now.wall;
      ahead_for_ = 0;
      state_ = Wall::kFollowed;
      note_ = fmt::format(
          "the clock has been {} ahead for an hour and is believed now; waiting events still wait "
          "for the rest of their time; old ones are removed slowly, four hours' worth per hour",
          in_words(ahead));
    }
  } else if (ahead < -kHeld) {
    enter(Wall::kBehind, -ahead);
    time_ = expected;
  } else {
    enter(Wall::kFollowed, 0);
    time_ = std::max(time_, now.wall);
  }
  // Where the log's time fell behind, events wait longer; this is not corrected later.
  skipped_ = std::max<Milliseconds>(0, skipped_ + time_ - expected);
  if (skipped_ > kSmallestLeap) leap(before, std::exchange(skipped_, 0));
  // A clock that was believed and then set right leaves the log ahead of it.
  const Milliseconds pace = state_ == Wall::kBehind ? 1 : kTrustedPace;
  trusted_ = std::min(time_, trusted_ + pace * passed);
  return time_;
}

Milliseconds LogClock::follow(Milliseconds message) {
  if (message <= time_) return time_;
  const Milliseconds passed = message - time_;
  if (time_ != 0 && passed > kStreamPause) leap(time_, passed - kStreamPause);
  time_ = wall_ = steady_ = trusted_ = message;
  return time_;
}

void LogClock::leap(Milliseconds from, Milliseconds size) {
  if (size <= 0) return;
  leaps_.push_back({from, size});
  if (leaps_.size() <= kLeapsKept) return;
  // Together they count for all events before the later one: some wait longer, none is cut short.
  leaps_[1].size += leaps_[0].size;
  leaps_.erase(leaps_.begin());
}

void LogClock::forget_leaps(Milliseconds before) {
  std::erase_if(leaps_, [before](const ClockLeap& each) { return each.from < before; });
}

std::optional<std::string> LogClock::take_note() { return std::exchange(note_, std::nullopt); }

void LogClock::enter(Wall wall, Milliseconds off) {
  if (wall == state_) return;
  switch (wall) {
    case Wall::kAhead:
      ahead_for_ = 0;
      note_ = fmt::format(
          "the clock is {} ahead of the log: the log's time continues from where it was; the clock "
          "is believed if it stays ahead for an hour",
          in_words(off));
      break;
    case Wall::kBehind:
      note_ =
          fmt::format("the clock is {} behind the log: the log's time continues from where it was",
                      in_words(off));
      break;
    case Wall::kFollowed:
      note_ = "the clock is right again: the log's time follows it";
      break;
  }
  state_ = wall;
}

}  // namespace sau::detail
