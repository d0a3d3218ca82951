// A restart continues from what is on disk, whatever happened to it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sau/core/file.hpp"
#include "sau/core/rng.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/serve_support.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::eventually;
using testing::simple_request;
using testing::TestService;

// Ranks, rewards, passing time and changing settings; the same for the same seed.
void live(TestService& service, std::uint64_t seed, int steps) {
  Rng rng(Stream{.seed = seed, .role = Role::kProblem});
  for (int i = 0; i < steps; ++i) {
    service->settle();  // so that decisions do not depend on the learner's speed
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

TEST(Recovery, ARestartContinuesAsIfNothingHadHappened) {
  TestService whole, broken;
  // A long wait time, since the record at which an event expires depends on timing.
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
      service.disk().failing_write_lasts = lasts;  // if so, only the sync failed
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
    ASSERT_TRUE(eventually([&] { return service->ready(); }));
    // The same request gets an answer now, whether or not it is in the log already.
    EXPECT_TRUE(service.rank(simple_request("during")).ok());
    live(service, 5, 50);
    const std::string before = service.model_checksum();
    service.restart_without_snapshot();
    EXPECT_EQ(service.model_checksum(), before) << lasts;
    const auto waiting = service.totals()["waiting"];
    service.restart();
    EXPECT_EQ(service.totals()["waiting"], waiting);
  }
}

// The file system library throws its own exceptions, which are not Errors.
TEST(Recovery, AFileInThePlaceOfTheLogDoesNotStopTheService) {
  TestService service;
  live(service, 4, 20);
  const std::string before = service.model_checksum();
  const auto log = service.folder() / "data/log", aside = service.folder() / "aside";
  std::filesystem::rename(log, aside);
  write_file(log, "a file where a folder was");
  {
    const std::lock_guard lock(service.disk().mutex);
    service.disk().failing = {service.disk().writes + 1};
  }
  const auto refused = service.rank(simple_request("during"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().code, Failure::Code::kUnavailable);
  ASSERT_TRUE(eventually(
      [&] { return service.notes().find("the log cannot be opened yet") != std::string::npos; }));
  EXPECT_FALSE(service->ready());
  std::filesystem::remove(log);
  std::filesystem::rename(aside, log);
  ASSERT_TRUE(eventually([&] { return service->ready(); }));
  EXPECT_TRUE(service.rank(simple_request("during")).ok());
  EXPECT_EQ(service.model_checksum(), before);
}

TEST(Recovery, AFolderThatWasServedHasAModel) {
  TestService service;
  service->stop();
  EXPECT_TRUE(std::filesystem::exists(service.folder() / "data/model.sau"));
}

TEST(Recovery, WaitingEventsAreKnownAfterARestart) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardAggregation":"sum"})").ok());
  for (int i = 0; i < 300; ++i) {
    const std::string event = "e" + std::to_string(i);
    ASSERT_TRUE(service.rank(simple_request(event)).ok());
    if (i % 3 != 0) continue;
    ASSERT_TRUE(service.reward(event, 0.25).ok());  // waits for more
  }
  ASSERT_TRUE(service.configure(R"({"rewardAggregation":"earliest"})").ok());
  for (int i = 0; i < 300; i += 5) {
    ASSERT_TRUE(service.reward("e" + std::to_string(i), 1.0).ok());  // the first one counts
  }
  EXPECT_EQ(service.totals()["waiting"], 240);
  service.restart();
  EXPECT_EQ(service.totals()["waiting"], 240);
  service.time += Configuration{}.reward_wait_time + 1;
  ASSERT_TRUE(eventually([&] { return service.totals()["waiting"] == 0; }));
  service->settle();
  const auto reward = [&](int i) {
    return nlohmann::json::parse(service->decision("e" + std::to_string(i)).value())["reward"];
  };
  EXPECT_EQ(reward(0), 0.25);
  EXPECT_EQ(reward(3), 0.25);
  EXPECT_EQ(reward(5), 1.0);
  EXPECT_EQ(reward(7), 0.0);
}

TEST(Recovery, AnyWriteMayFail) {
  for (std::uint64_t failing = 1; failing <= 40; failing += 9) {
    TestService service;
    service.disk().failing = {failing, failing + 7};
    service.disk().failing_write_lasts = failing % 2 == 0;
    int acknowledged = 0;
    for (int i = 0; i < 30; ++i) {
      const std::string event = "e" + std::to_string(i);
      ASSERT_TRUE(eventually([&] { return service->ready(); }));
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
    ASSERT_TRUE(eventually([&] { return service->ready(); }));
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
  service.stop();
  const auto log = service.folder() / "data/log";
  std::filesystem::remove_all(log);
  std::filesystem::remove(log.string() + ".mark");
  std::string error = testing::error_of([&] { service.start(); });
  EXPECT_NE(error.find("missing, though the folder was served from"), std::string::npos) << error;
  EXPECT_FALSE(std::filesystem::exists(log));
  { const auto empty = open_event_store(log, {}); }
  error = testing::error_of([&] { service.start(); });
  EXPECT_NE(error.find("part of it is missing"), std::string::npos) << error;
}

TEST(Recovery, ADamagedModelIsRebuiltFromTheLog) {
  TestService service;
  live(service, 6, 50);
  const std::string before = service.model_checksum();
  service.stop();
  const auto file = service.folder() / "data/model.sau";
  std::string bytes = read_file(file);
  bytes[bytes.size() / 2] ^= 1;
  write_file(file, bytes);
  service.start();
  EXPECT_EQ(service.model_checksum(), before);
  EXPECT_NE(service.notes().find("the model is rebuilt"), std::string::npos) << service.notes();
}

constexpr Milliseconds kDay = 86'400'000;

// Afterwards events 7-* are two days old, and a model that has learned from them is on disk.
void age(TestService& service) {
  service.snapshot_every = std::chrono::milliseconds(1);
  service.restart();
  ASSERT_TRUE(service.configure(R"({"logRetentionDays":1,"rewardWaitTime":"PT1M"})").ok());
  live(service, 7, 100);
  service.pass(2 * kDay);
}

bool is_gone(TestService& service, const std::string& event) {
  static_cast<void>(service.rank(simple_request(std::to_string(service.time++))));
  static_cast<void>(service.reward(std::to_string(service.time - 1), 1.0));
  return !service->decision(event).ok();
}

TEST(Recovery, OldEventsAreRemovedAndTheRestStillReplays) {
  TestService service;
  age(service);
  live(service, 8, 100);
  ASSERT_TRUE(eventually([&] { return is_gone(service, "7-3"); }));
  EXPECT_EQ(service->decision("7-3").failure().code, Failure::Code::kNotFound);
  EXPECT_TRUE(service->decision("8-3").ok());
  EXPECT_TRUE(std::filesystem::exists(service.folder() / "data/base.sau"));
  // The note comes last, after the count.
  ASSERT_TRUE(eventually(
      [&] { return service.notes().find("removed records 1 to ") != std::string::npos; }));
  EXPECT_EQ(service->metrics().find("sau_removed_events_total 0"), std::string::npos);
  const std::string before = service.model_checksum();
  service.restart();
  EXPECT_EQ(service.model_checksum(), before);
  const LogCheck check = verify_log(service.folder() / "data");
  EXPECT_GT(check.first, 1U);
  // The id may be used again.
  EXPECT_TRUE(service.rank(simple_request("7-3", R"(,"excludedActions":["a"])")).ok());
}

// Nobody calls, nothing is learned, and no model is written any more: events grow old all the same.
TEST(Recovery, OldEventsAreRemovedWhileNothingHappens) {
  TestService service;
  service.snapshot_every = std::chrono::milliseconds(1);
  ASSERT_TRUE(service.configure(R"({"logRetentionDays":1})").ok());
  service.play("e", 20);
  service->settle();
  service.restart();  // writes the model
  const auto model = std::filesystem::last_write_time(service.folder() / "data/model.sau");
  ASSERT_TRUE(service->decision("e19").ok()) << "its time is not up";
  ASSERT_TRUE(eventually([&] {
    service.pass(kDay / 48);  // only lets the clock be read
    return !service->decision("e19").ok();
  }));
  EXPECT_NE(service.notes().find("older than 1 days"), std::string::npos) << service.notes();
  EXPECT_EQ(std::filesystem::last_write_time(service.folder() / "data/model.sau"), model);
  service.stop();
  EXPECT_NO_THROW(verify_log(service.folder() / "data"));
}

TEST(Recovery, NothingIsRemovedBeforeWhatReplacesItIsOnDisk) {
  TestService service;
  std::filesystem::create_directories(service.folder() / "data/base.sau/in the way");
  age(service);
  live(service, 8, 50);
  ASSERT_TRUE(eventually([&] {
    static_cast<void>(is_gone(service, "7-3"));
    return service.notes().find("nothing is removed") != std::string::npos;
  }));
  EXPECT_TRUE(service->decision("7-3").ok());
  EXPECT_EQ(service.notes().find("removed records"), std::string::npos) << service.notes();
  // The note comes after the count.
  const std::string metrics = service->metrics(), name = "\nsau_removal_failures_total ";
  const std::size_t place = metrics.find(name);
  ASSERT_NE(place, std::string::npos);
  EXPECT_GE(std::stod(metrics.substr(place + name.size())), 1.0);
}

// After all events were removed, nothing waits and the log is whole.
TEST(Recovery, NothingWaitsWhenEverythingWasRemoved) {
  TestService service;
  service.snapshot_every = std::chrono::milliseconds(1);
  service.restart();
  ASSERT_TRUE(service.configure(R"({"logRetentionDays":0,"rewardWaitTime":"PT2S"})").ok());
  for (int i = 0; i < 1500; ++i) {
    ASSERT_TRUE(service.rank(simple_request("e" + std::to_string(i))).ok());
    ASSERT_TRUE(service.reward("e" + std::to_string(i), 1.0).ok());
  }
  service.pass(60'000);
  ASSERT_TRUE(eventually([&] {
    service.pass(3'600'000);
    return !service->decision("e1499").ok();
  }));
  service.restart();
  EXPECT_EQ(service.totals()["waiting"], 0);
  EXPECT_NO_THROW(verify_log(service.folder() / "data"));
  ASSERT_TRUE(service.rank(simple_request("after")).ok());
  service.time += 2001;
  ASSERT_TRUE(eventually([&] { return service.totals()["missingRewards"] == 1; }));
}

}  // namespace
}  // namespace sau
