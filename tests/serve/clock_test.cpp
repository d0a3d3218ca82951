// A service whose machine's clock jumps.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "sau/serve/log_tools.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using testing::eventually;
using testing::rank_and_reward;
using testing::simple_request;
using testing::TestService;

constexpr Milliseconds kAnHour = 3'600'000, kADay = 24 * kAnHour;

TEST(Clock, AJumpRemovesNothingAndEventsStillExpire) {
  for (const Milliseconds jump : {400 * kADay, -kADay}) {
    TestService service;
    service.snapshot_every = std::chrono::milliseconds(1);
    service.time = 2000 * kADay;
    service.restart();
    ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT1M"})").ok());
    rank_and_reward(service, 0, 50);
    service.pass(kAnHour);
    service.clock_error = jump;
    service.pass(4000);
    rank_and_reward(service, 50, 100);
    service.clock_error = 0;
    service.pass(4000);
    rank_and_reward(service, 100, 150);
    for (int restarted = 0; restarted < 2; ++restarted) {
      ASSERT_TRUE(service.rank(simple_request("waits" + std::to_string(restarted))).ok());
      service.time += 60'001;
      ASSERT_TRUE(eventually([&] { return service.totals()["waiting"] == 0; })) << jump;
      EXPECT_TRUE(service->decision("e0").ok());
      service.restart();
    }
    EXPECT_EQ(verify_log(service.folder() / "data").first, 1U);
    EXPECT_NE(service.notes().find("the clock"), std::string::npos);
  }
}

TEST(Clock, AJumpThatStaysCutsNoWaitShort) {
  constexpr Milliseconds kMinutes = 60'000;
  for (const Milliseconds jump : {30 * kMinutes, 10 * kAnHour}) {
    TestService service;
    service.time = 2000 * kADay;
    service.restart();
    ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT3H"})").ok());
    ASSERT_TRUE(service.rank(simple_request("early")).ok());
    ASSERT_TRUE(service.rank(simple_request("never")).ok());
    service.clock_error = jump;
    service.pass(2 * kAnHour);  // after one hour the clock is believed
    ASSERT_TRUE(service.rank(simple_request("late")).ok());
    service.restart();
    service.pass(30 * kMinutes);
    EXPECT_EQ(service.totals()["waiting"], 3) << jump;
    // A reward that comes in time counts.
    ASSERT_TRUE(service.reward("early", 1.0).ok());
    EXPECT_EQ(service.totals()["lateRewards"], 0) << jump;
    const auto decision = nlohmann::json::parse(service->decision("never").value());
    EXPECT_EQ(decision["deadline"], write_time(service.time + jump + 30 * kMinutes)) << jump;
    // After three hours, and not much later, the default is given.
    service.pass(30 * kMinutes + 1);
    ASSERT_TRUE(eventually([&] { return service.totals()["waiting"] == 1; })) << jump;
    service.pass(2 * kAnHour - kMinutes);
    EXPECT_EQ(service.totals()["waiting"], 1) << jump;
    service.pass(kMinutes);
    ASSERT_TRUE(eventually([&] { return service.totals()["waiting"] == 0; })) << jump;
  }
}

TEST(Clock, AStopIsNotWaitedThrough) {
  TestService service;
  service.time = 2000 * kADay;
  service.restart();
  ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT1M"})").ok());
  ASSERT_TRUE(service.rank(simple_request("waits")).ok());
  ASSERT_TRUE(service.rank(simple_request("never")).ok());
  service.pass(20'000);
  service.stop();
  service.time += 3 * kADay;
  service.start();
  service.pass(39'000);
  EXPECT_EQ(service.totals()["waiting"], 2);
  ASSERT_TRUE(service.reward("waits", 1.0).ok());
  EXPECT_EQ(service.totals()["lateRewards"], 0);
  service.pass(1001);
  EXPECT_TRUE(eventually([&] { return service.totals()["waiting"] == 0; }));
}

TEST(Clock, AStartWithAWrongClockRemovesNothing) {
  TestService service;
  service.snapshot_every = std::chrono::milliseconds(1);
  service.time = 2000 * kADay;
  service.restart();
  ASSERT_TRUE(service.configure(R"({"logRetentionDays":1})").ok());
  rank_and_reward(service, 0, 50);
  service.stop();
  service.clock_error = 400 * kADay;
  service.start();
  rank_and_reward(service, 50, 100);
  service.pass(4000);
  service.restart();
  rank_and_reward(service, 100, 150);
  EXPECT_TRUE(service->decision("e0").ok());
  service.stop();
  service.clock_error = 0;
  service.start();
  EXPECT_NE(service.notes().find("400 days ahead"), std::string::npos) << service.notes();
  ASSERT_TRUE(service.rank(simple_request("waits")).ok());
  service.time += Configuration{}.reward_wait_time + 1;
  ASSERT_TRUE(eventually([&] { return service.totals()["waiting"] == 0; }));
  EXPECT_TRUE(service->decision("e0").ok());
}

}  // namespace
}  // namespace sau
