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
    const auto history = activity.history({.wall = wall, .steady = 3999});
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
  const auto history = activity.history({.wall = kNoon, .steady = 6000});
  ASSERT_EQ(history.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(history[i].rewards, i == 0 || i == 3 ? 1U : 0U);
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
