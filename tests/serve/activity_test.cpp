#include "serve/activity.hpp"

#include <gtest/gtest.h>

namespace sau::detail {
namespace {

constexpr Milliseconds kNoon = 1'700'000'000'000, kDay = 24LL * 3'600'000;

Activity::Recent recent(const std::string& action) {
  Activity::Recent recent;
  recent.action_id = action;
  return recent;
}

TEST(Activity, AJumpOfTheTimeOfDayLeavesNoGap) {
  Activity activity;
  for (Milliseconds steady = 0; steady < 4000; steady += 500) {
    activity.ranked(steady, recent("a"), false, true);
    activity.rewarded(steady);
  }
  for (const Milliseconds wall : {kNoon, kNoon + 400 * kDay, kNoon - kDay}) {
    const auto history = activity.history(Span::kFiveMinutes, {.wall = wall, .steady = 3999});
    ASSERT_EQ(history.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(history[i].ranks, 2U);
      EXPECT_EQ(history[i].rewards, 2U);
      EXPECT_EQ(history[i].time, wall - 3000 + static_cast<Milliseconds>(i) * 1000);
    }
  }
}

TEST(Activity, SecondsInWhichNothingHappenedAreShown) {
  Activity activity;
  activity.rewarded(1200);
  activity.rewarded(4100);
  const auto history = activity.history(Span::kFiveMinutes, {.wall = kNoon, .steady = 6000});
  ASSERT_EQ(history.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(history[i].rewards, i == 0 || i == 3 ? 1U : 0U);
}

// Each span has its own periods, and forgets what is older.
TEST(Activity, LongSpansAddUpWhatHappenedInTheirPeriods) {
  constexpr Milliseconds kMinute = 60'000;
  Activity activity;
  const Milliseconds end = 3 * kDay;
  for (Milliseconds steady = 0; steady < end; steady += kMinute) {
    activity.ranked(steady, recent("a"), true, false);
    activity.learned(steady, 0.5, 0.25);
  }
  const ClockReading now{.wall = kNoon + end - 1, .steady = end - 1};
  const auto check = [&](Span span, std::size_t periods, std::uint64_t events) {
    const auto history = activity.history(span, now);
    ASSERT_EQ(history.size(), periods);
    Period sum;
    for (std::size_t i = 0; i < periods; ++i) {
      sum.add(history[i]);
      if (i == 0) continue;
      EXPECT_EQ(history[i].time - history[i - 1].time, activity.step(span));
    }
    EXPECT_EQ(sum.ranks, events);
    EXPECT_EQ(sum.explored, events);
    EXPECT_EQ(sum.agreed, 0U);
    EXPECT_DOUBLE_EQ(sum.reward_sum, 0.5 * static_cast<double>(events));
    EXPECT_DOUBLE_EQ(sum.baseline_sum, 0.25 * static_cast<double>(events));
  };
  check(Span::kFiveMinutes, 300, 5);
  check(Span::kHour, 360, 60);
  check(Span::kDay, 288, 1440);
  check(Span::kWeek, 144, 4320);
}

TEST(Activity, SharesAreThoseOfTheActionsChosenMost) {
  Activity activity;
  for (const char* action : {"b", "a", "c", "a", "c", "a", "d", "b"}) {
    activity.ranked(0, recent(action), false, true);
  }
  const auto shares = activity.shares(3);
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0].id, "a");
  EXPECT_EQ(shares[0].ranked, 3U);
  EXPECT_DOUBLE_EQ(shares[0].share, 3.0 / 8.0);
  EXPECT_EQ(shares[1].id, "b");
  EXPECT_EQ(shares[2].id, "c");
  EXPECT_EQ(activity.shares(10).size(), 4U);
}

}  // namespace
}  // namespace sau::detail
