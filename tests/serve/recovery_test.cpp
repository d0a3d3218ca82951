// What a restart makes of what is on disk.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "sau/core/rng.hpp"
#include "serve/serve_support.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::simple_request;
using testing::TestService;

// A day in the life, the same for the same seed: ranks, rewards, time going on, settings changing.
void live(TestService& service, std::uint64_t seed, int steps) {
  Rng rng(Stream{.seed = seed, .role = Role::kProblem});
  for (int i = 0; i < steps; ++i) {
    service->settle();  // so that decisions do not depend on how quick the learner is
    const std::string event = std::to_string(seed) + "-" + std::to_string(i);
    const bool deferred = rng.below(8) == 0;
    static_cast<void>(
        service.rank(simple_request(event, deferred ? R"(,"deferActivation":true)" : "")));
    if (rng.below(3) > 0) static_cast<void>(service.reward(event, rng.uniform()));
    if (deferred && rng.below(2) > 0) static_cast<void>(service.activate(event));
    service.time += static_cast<Milliseconds>(rng.below(20'000));
    if (rng.below(50) == 0) {
      static_cast<void>(service.configure(rng.below(2) == 0
                                              ? R"({"rewardAggregation":"sum"})"
                                              : R"({"rewardAggregation":"earliest"})"));
    }
  }
}

TEST(Recovery, ARestartGoesOnAsIfNothingHadHappened) {
  TestService whole, broken;
  // (When an event is found to be overdue depends on when somebody looks.)
  for (TestService* service : {&whole, &broken}) {
    ASSERT_TRUE(service->configure(R"({"rewardWaitTime":"P10D"})").ok());
  }
  live(whole, 1, 200);
  live(whole, 2, 200);
  live(broken, 1, 200);
  broken.restart();
  live(broken, 2, 200);
  EXPECT_EQ(whole.model_checksum(), broken.model_checksum());
}

TEST(Recovery, TheModelIsAFunctionOfTheLog) {
  TestService service;
  live(service, 3, 300);
  const std::string before = service.model_checksum();
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), before);
  service.restart();
  EXPECT_EQ(service.model_checksum(), before);
}

TEST(Recovery, EventsThatWaitStillWait) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT1M"})").ok());
  static_cast<void>(service.rank(simple_request("rewarded later")));
  static_cast<void>(service.rank(simple_request("never rewarded")));
  service.restart();
  EXPECT_EQ(service->configuration().reward_wait_time, 60'000);
  EXPECT_TRUE(service.reward("rewarded later", 1.0).ok());
  service.time += 60'001;
  static_cast<void>(service.rank(simple_request("next")));
  service->settle();
  const auto decision = nlohmann::json::parse(service->decision("never rewarded").value());
  EXPECT_EQ(decision["state"], "missing");
}

TEST(Recovery, AFullDiskRefusesAndLosesNothing) {
  for (const bool lasts : {false, true}) {
    TestService service;
    live(service, 4, 50);
    {
      const std::lock_guard lock(service.disk().mutex);
      service.disk().full = true;
      service.disk().failing_write_lasts = lasts;  // or the bytes got there, and the sync failed
    }
    const auto refused = service.rank(simple_request("during"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.failure().code, Failure::Code::kUnavailable);
    EXPECT_FALSE(service.reward("4-0", 1.0).ok());
    EXPECT_FALSE(service->ready());
    {
      const std::lock_guard lock(service.disk().mutex);
      service.disk().full = false;
    }
    while (!service->ready()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // Whether or not it is in the log, the same request gets an answer now.
    EXPECT_TRUE(service.rank(simple_request("during")).ok());
    live(service, 5, 50);
    const std::string before = service.model_checksum();
    service.restart_without_snapshot();
    EXPECT_EQ(service.model_checksum(), before) << lasts;
    EXPECT_EQ(service.disk().waiting.size(),
              nlohmann::json::parse(service->status())["totals"]["waiting"].get<std::size_t>());
  }
}

TEST(Recovery, AFolderThatWasServedFromHasAModel) {
  TestService service;
  service->stop();
  EXPECT_TRUE(std::filesystem::exists(service.folder() / "data/model.sau"));
}

// The store hears of all that waits once many of those it was told of wait no more.
TEST(Recovery, WhatWaitsIsListedAnewNowAndThen) {
  TestService service;
  std::set<Sequence> open;
  for (int i = 0; i < 9000; ++i) {
    const std::string event = "e" + std::to_string(i);
    ASSERT_TRUE(service.rank(simple_request(event)).ok());
    if (i % 1000 == 7) {
      open.insert(service.disk().decisions.rbegin()->first);
    } else {
      ASSERT_TRUE(service.reward(event, 1.0).ok());
    }
  }
  EXPECT_EQ(service.disk().listings, 1U);
  for (int restarted = 0; restarted < 2; ++restarted) {
    std::set<Sequence> listed;
    for (const auto& [decision, time] : service.disk().waiting) listed.insert(decision);
    EXPECT_EQ(listed, open);
    EXPECT_EQ(nlohmann::json::parse(service->status())["totals"]["waiting"], open.size());
    service.restart();
  }
}

TEST(Recovery, AnyWriteMayFail) {
  for (std::uint64_t failing = 1; failing <= 40; failing += 9) {
    TestService service;
    service.disk().failing = {failing, failing + 7};
    service.disk().failing_write_lasts = failing % 2 == 0;
    int acknowledged = 0;
    for (int i = 0; i < 30; ++i) {
      const std::string event = "e" + std::to_string(i);
      while (!service->ready()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (service.rank(simple_request(event)).ok()) ++acknowledged;
      static_cast<void>(service.reward(event, 1.0));
    }
    EXPECT_GE(acknowledged, 28);
    const std::string before = service.model_checksum();
    service.restart_without_snapshot();
    EXPECT_EQ(service.model_checksum(), before) << failing;
  }
}

TEST(Recovery, AConfigurationThatIsInTheLogAfterAllIsUsed) {
  for (const bool lasts : {false, true}) {
    TestService service;
    service.disk().failing = {1};
    service.disk().failing_write_lasts = lasts;
    EXPECT_FALSE(service.configure(R"({"rewardWaitTime":"PT1M"})").ok());
    while (!service->ready()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto expected = lasts ? 60'000 : Configuration{}.reward_wait_time;
    EXPECT_EQ(service->configuration().reward_wait_time, expected);
    service.restart();
    EXPECT_EQ(service->configuration().reward_wait_time, expected);
  }
}

TEST(Recovery, AModelAheadOfItsLogStopsTheStart) {
  TestService service;
  live(service, 6, 20);
  service->settle();
  service->stop();
  service.disk().entries.erase(std::prev(service.disk().entries.end(), 5),
                               service.disk().entries.end());
  service.disk().decisions.erase(std::prev(service.disk().decisions.end(), 10),
                                 service.disk().decisions.end());
  const std::string error = testing::error_of([&] { service.restart(); });
  EXPECT_NE(error.find("part of it is missing"), std::string::npos) << error;
}

TEST(Recovery, OldEventsAreForgottenAndTheRestStillReplays) {
  TestService service;
  service.snapshot_every = std::chrono::milliseconds(1);
  service.restart();
  ASSERT_TRUE(service.configure(R"({"logRetentionDays":1,"rewardWaitTime":"PT1M"})").ok());
  live(service, 7, 100);
  service.time += 2 * 86'400'000LL;
  live(service, 8, 100);
  while (service->decision("7-3").ok()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    static_cast<void>(service.rank(simple_request(std::to_string(service.time++))));
  }
  EXPECT_EQ(service->decision("7-3").failure().code, Failure::Code::kNotFound);
  EXPECT_TRUE(service->decision("8-3").ok());
  EXPECT_TRUE(std::filesystem::exists(service.folder() / "data/base.sau"));
  const std::string before = service.model_checksum();
  service.restart();
  EXPECT_EQ(service.model_checksum(), before);
}

}  // namespace
}  // namespace sau
