#include "serve/log_clock.hpp"

#include <gtest/gtest.h>

namespace sau::detail {
namespace {

constexpr Milliseconds kMinutes = 60'000, kHours = 60 * kMinutes, kDays = 24 * kHours;
constexpr Milliseconds kBegin = 1000 * kDays;

// The clock of a log, and the machine's clock, which a test may set.
struct Machine {
  LogClock clock;
  ClockReading now{kBegin, 5};

  Machine() { clock.start(0, 0, now); }
  // Lets time pass, and reads the log's clock every second.
  void pass(Milliseconds duration) {
    for (; duration > 0; duration -= 1000) {
      now.wall += std::min<Milliseconds>(duration, 1000);
      now.steady += std::min<Milliseconds>(duration, 1000);
      clock.advance(now);
    }
  }
  std::string note() { return clock.take_note().value_or(""); }
};

TEST(LogClock, FollowsTheTimeOfDay) {
  Machine machine;
  machine.pass(3 * kHours);
  EXPECT_EQ(machine.clock.time(), kBegin + 3 * kHours);
  EXPECT_EQ(machine.clock.trusted(), machine.clock.time());
  EXPECT_EQ(machine.clock.offset(), 0);
  EXPECT_EQ(machine.note(), "");
}

TEST(LogClock, NeverGoesBack) {
  Machine machine;
  machine.pass(1000);
  const Milliseconds before = machine.clock.time();
  machine.now.wall -= 500;
  EXPECT_EQ(machine.clock.advance(machine.now), before);
  machine.pass(2000);
  EXPECT_EQ(machine.clock.time(), machine.now.wall);
  EXPECT_EQ(machine.note(), "");
}

TEST(LogClock, AJumpAheadForSecondsChangesNothing) {
  Machine machine;
  machine.pass(kHours);
  machine.now.wall += 400 * kDays;
  machine.pass(4000);
  EXPECT_EQ(machine.clock.time(), kBegin + kHours + 4000);
  EXPECT_NE(machine.note().find("400 days ahead"), std::string::npos);
  machine.now.wall -= 400 * kDays;
  machine.pass(kHours);
  EXPECT_EQ(machine.clock.time(), machine.now.wall);
  EXPECT_EQ(machine.clock.trusted(), machine.clock.time());
  EXPECT_NE(machine.note().find("right again"), std::string::npos);
}

// Both clocks jump, as in a simulation or when a machine was suspended.
TEST(LogClock, AJumpOfBothClocksMovesItByAnHourAtMost) {
  Machine machine;
  machine.now.wall += 400 * kDays;
  machine.now.steady += 400 * kDays;
  machine.clock.advance(machine.now);
  EXPECT_LE(machine.clock.time(), kBegin + kHours);
  machine.now.wall -= 400 * kDays;
  machine.now.steady -= 400 * kDays;
  machine.pass(2 * kHours);
  EXPECT_LE(machine.clock.time(), machine.now.wall + kHours);
  EXPECT_GE(machine.clock.time(), machine.now.wall);
}

TEST(LogClock, AJumpThatStaysIsBelieved) {
  Machine machine;
  machine.now.wall += 10 * kDays;
  machine.pass(kHours - 1000);
  EXPECT_EQ(machine.clock.time(), kBegin + kHours - 1000);
  machine.pass(2000);
  EXPECT_EQ(machine.clock.time(), machine.now.wall);
  EXPECT_NE(machine.note().find("believed"), std::string::npos);
  // But the trusted time, on which removal relies, moves only four times as fast as real time.
  EXPECT_LE(machine.clock.trusted(), kBegin + 4 * kHours + 8000);
  const Milliseconds before = machine.clock.trusted();
  machine.pass(kHours);
  EXPECT_EQ(machine.clock.trusted(), before + 4 * kHours);
  machine.pass(4 * kDays);
  EXPECT_EQ(machine.clock.trusted(), machine.clock.time());
}

// What was logged before the jump is as old as it really is.
TEST(LogClock, AClockThatWasBelievedAndIsSetRightDoesNotHurryRemoval) {
  Machine machine;
  machine.now.wall += 400 * kDays;
  machine.pass(kHours + kMinutes);
  EXPECT_EQ(machine.clock.time(), machine.now.wall);
  machine.now.wall -= 400 * kDays;
  const Milliseconds before = machine.clock.trusted();
  EXPECT_LE(before, kBegin + 5 * kHours);
  machine.pass(30 * kDays);
  EXPECT_EQ(machine.clock.trusted(), before + 30 * kDays);
  EXPECT_EQ(machine.clock.offset(), 400 * kDays);
}

TEST(LogClock, AClockThatIsSetBackDoesNotStopIt) {
  Machine machine;
  machine.pass(kMinutes);
  machine.now.wall -= kDays;
  machine.pass(kHours);
  EXPECT_EQ(machine.clock.time(), kBegin + kMinutes + kHours);
  EXPECT_EQ(machine.clock.offset(), kDays);
  EXPECT_NE(machine.note().find("behind"), std::string::npos);
}

TEST(LogClock, ContinuesWhereALogEnds) {
  // After a night.
  LogClock later;
  later.start(kBegin, kBegin - kDays, {kBegin + 9 * kHours, 0});
  EXPECT_EQ(later.time(), kBegin + 9 * kHours);
  EXPECT_EQ(later.trusted(), kBegin - kDays);
  EXPECT_NE(later.take_note().value_or("").find("moves on by 9 hours"), std::string::npos);
  // After a minute nothing is said.
  LogClock soon;
  soon.start(kBegin, kBegin, {kBegin + kMinutes, 0});
  EXPECT_EQ(soon.take_note(), std::nullopt);
  // After more than a week the wall clock is not believed immediately.
  LogClock much_later;
  much_later.start(kBegin, kBegin, {kBegin + 400 * kDays, 0});
  EXPECT_EQ(much_later.advance({kBegin + 400 * kDays + 5000, 5000}), kBegin + 5000);
  EXPECT_NE(much_later.take_note().value_or("").find("400 days ahead"), std::string::npos);
  // With a clock that is behind.
  LogClock earlier;
  earlier.start(kBegin, kBegin, {kBegin - kDays, 0});
  EXPECT_EQ(earlier.time(), kBegin);
  EXPECT_EQ(earlier.advance({kBegin - kDays + 5000, 5000}), kBegin + 5000);
}

}  // namespace
}  // namespace sau::detail
