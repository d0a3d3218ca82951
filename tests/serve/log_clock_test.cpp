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

  Machine() { clock.start({}, {}, now); }
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

LogHead head_at(Milliseconds time, Milliseconds trusted) {
  LogHead head;
  head.time = time;
  head.trusted_time = trusted;
  return head;
}

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

// How long an event that began at `begin` still has to wait.
Milliseconds left(const LogClock& clock, Milliseconds begin, Milliseconds wait) {
  return clock.end_of_wait(begin, wait) - clock.time();
}

TEST(LogClock, EventsWaitByTheSteadyClock) {
  for (const Milliseconds jump : {kMinutes / 30, 30 * kMinutes, 3 * kHours, 400 * kDays, -kDays}) {
    Machine machine;
    machine.pass(kMinutes);
    const Milliseconds begin = machine.clock.time(), wait = 5 * kHours;
    machine.pass(kMinutes);
    machine.now.wall += jump;
    machine.pass(2 * kHours);  // long enough to be believed
    EXPECT_EQ(left(machine.clock, begin, wait), wait - 2 * kHours - kMinutes) << jump;
    // One that begins after the jump.
    const Milliseconds later = machine.clock.time();
    machine.pass(kMinutes);
    EXPECT_EQ(left(machine.clock, later, wait), wait - kMinutes) << jump;
    EXPECT_EQ(left(machine.clock, begin, wait), wait - 2 * kHours - 2 * kMinutes) << jump;
  }
}

TEST(LogClock, AClockThatJumpsToAndFroCutsNoWaitShort) {
  Machine machine;
  const Milliseconds wait = 100 * kHours;
  const Milliseconds begin = machine.clock.time(), began = machine.now.steady;
  for (int i = 0; i < 500; ++i) {
    machine.now.wall += (i % 3 - 1) * 40'000;
    machine.pass(i % 5 * 1000 + 1000);
    const Milliseconds waited = machine.now.steady - began;
    ASSERT_GE(left(machine.clock, begin, wait), wait - waited) << i;
  }
  EXPECT_LE(machine.clock.leaps().size(), 64u);
  machine.clock.forget_leaps(machine.clock.time() + 1);
  EXPECT_TRUE(machine.clock.leaps().empty());
}

TEST(LogClock, NobodyWaitsWhileTheServiceIsStopped) {
  for (const Milliseconds stop : {kMinutes, 3 * kDays, 400 * kDays, -kDays}) {
    Machine machine;
    machine.pass(kHours);
    const Milliseconds begin = machine.clock.time();
    machine.now.wall += 30 * kMinutes;  // skipped before the stop
    machine.pass(kMinutes);
    LogClock after;
    const ClockReading now{machine.now.wall + stop, 7};
    after.start(head_at(machine.clock.time(), machine.clock.trusted()), machine.clock.leaps(), now);
    EXPECT_EQ(left(after, begin, kHours), kHours - kMinutes) << stop;
  }
}

TEST(LogClock, ContinuesWhereALogEnds) {
  // After a night.
  LogClock later;
  later.start(head_at(kBegin, kBegin - kDays), {}, {kBegin + 9 * kHours, 0});
  EXPECT_EQ(later.time(), kBegin + 9 * kHours);
  EXPECT_EQ(later.trusted(), kBegin - kDays);
  EXPECT_NE(later.take_note().value_or("").find("moves on by 9 hours"), std::string::npos);
  // After a minute nothing is said.
  LogClock soon;
  soon.start(head_at(kBegin, kBegin), {}, {kBegin + kMinutes, 0});
  EXPECT_EQ(soon.take_note(), std::nullopt);
  // After more than a week the wall clock is not believed immediately.
  LogClock much_later;
  much_later.start(head_at(kBegin, kBegin), {}, {kBegin + 400 * kDays, 0});
  EXPECT_EQ(much_later.advance({kBegin + 400 * kDays + 5000, 5000}), kBegin + 5000);
  EXPECT_NE(much_later.take_note().value_or("").find("400 days ahead"), std::string::npos);
  // With a clock that is behind.
  LogClock earlier;
  earlier.start(head_at(kBegin, kBegin), {}, {kBegin - kDays, 0});
  EXPECT_EQ(earlier.time(), kBegin);
  EXPECT_EQ(earlier.advance({kBegin - kDays + 5000, 5000}), kBegin + 5000);
}

}  // namespace
}  // namespace sau::detail
