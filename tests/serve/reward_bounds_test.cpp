// Rewards outside the configured bounds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "sau/core/file.hpp"
#include "serve/serve_support.hpp"

namespace sau {
namespace {

using nlohmann::json;
using testing::simple_request;
using testing::TestService;

json explanation(TestService& service, const std::string& event) {
  return json::parse(service->decision(event).value());
}

// A configuration stored by a version that had no bounds.
constexpr const char* kOldConfiguration =
    R"({"rewardWaitTime":"PT5M","defaultReward":-20.0,"rewardAggregation":"earliest",)"
    R"("explorationPercentage":0.2,"modelExportFrequency":"PT0S","logRetentionDays":90,)"
    R"("learningMode":"Online"})";

int notes_about_bounds(TestService& service) {
  int found = 0;
  std::istringstream notes(service.notes());
  for (std::string note; std::getline(notes, note);) {
    const bool says =
        note.find("PUT /personalizer/v1.0/configurations/service") != std::string::npos &&
        note.find("rewardMinimum") != std::string::npos;
    found += says ? 1 : 0;
  }
  return found;
}

// Restarts the service with such a configuration in its log.
void restart_with_old_configuration(TestService& service) {
  service.stop();
  {
    const auto store = open_event_store(service.folder() / "data/log", {.sync = false});
    StoreBatch batch;
    batch.configuration = kOldConfiguration;
    batch.time = batch.trusted_time = store->head().time;
    ASSERT_TRUE(store->write(batch).ok());
  }
  service.start();
}

// Makes the folder as a version without bounds would have left it.
void make_old(TestService& service) {
  const auto file = service.folder() / "data/service.json";
  json settings = json::parse(read_file(file));
  settings.erase("configuration");
  write_file(file, settings.dump());
}

TEST(RewardBounds, ARewardOutOfRangeIsRefusedAndLeavesNoTrace) {
  TestService service;
  for (int i = 0; i < 300; ++i) {
    const std::string event = "e" + std::to_string(i);
    const auto answer = service.rank(simple_request(event)).value();
    ASSERT_TRUE(service.reward(event, answer.chosen == 0 ? 1.0 : 0.0).ok());
    service->settle();
  }
  const double before = service.rank(simple_request("before")).value().ranking[0].probability;
  EXPECT_GT(before, 0.9);
  for (const double wrong : {1e9, -1e9, 1.0001}) {
    const Status status = service.reward("before", wrong);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.failure().code, Failure::Code::kBadRequest);
    EXPECT_EQ(status.failure().target, "value");
  }
  service->settle();
  const double after = service.rank(simple_request("aft-er")).value().ranking[0].probability;
  EXPECT_EQ(after, before);
  EXPECT_EQ(explanation(service, "before")["state"], "waiting");
  EXPECT_TRUE(service.reward("before", 1.0).ok());
}

TEST(RewardBounds, AClippedRewardIsLoggedAndLearnedAsTheBound) {
  TestService service, other;
  ASSERT_TRUE(service.configure(R"({"rewardOutOfRange":"clip","rewardMinimum":-0.5})").ok());
  ASSERT_TRUE(other.configure(R"({"rewardOutOfRange":"clip","rewardMinimum":-0.5})").ok());
  static_cast<void>(service.rank(simple_request("e1")));
  static_cast<void>(other.rank(simple_request("e1")));
  EXPECT_TRUE(service.reward("e1", 1e9).ok());
  EXPECT_TRUE(other.reward("e1", 1.0).ok());
  EXPECT_EQ(explanation(service, "e1")["reward"], 1.0);
  EXPECT_EQ(explanation(service, "e1")["rewards"][0]["value"], 1.0);
  EXPECT_EQ(service.model_checksum(), other.model_checksum());
  static_cast<void>(service.rank(simple_request("e2")));
  EXPECT_TRUE(service.reward("e2", -7.0).ok());
  EXPECT_EQ(explanation(service, "e2")["reward"], -0.5);
}

TEST(RewardBounds, HoldForEachRewardNotForTheSum) {
  TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardAggregation":"sum","rewardWaitTime":"PT1M"})").ok());
  static_cast<void>(service.rank(simple_request("e1")));
  EXPECT_TRUE(service.reward("e1", 0.75).ok());
  EXPECT_TRUE(service.reward("e1", 1.0).ok());
  EXPECT_FALSE(service.reward("e1", 1.25).ok());
  service.time += 60'001;
  static_cast<void>(service.rank(simple_request("later")));
  EXPECT_EQ(explanation(service, "e1")["reward"], 1.75);
}

TEST(RewardBounds, RewardsOutOfRangeAreCounted) {
  TestService service;
  static_cast<void>(service.rank(simple_request("e1")));
  EXPECT_FALSE(service.reward("e1", 5.0).ok());
  EXPECT_FALSE(service.reward("e1", 6.0).ok());
  ASSERT_TRUE(service.configure(R"({"rewardOutOfRange":"clip"})").ok());
  EXPECT_FALSE(service.reward("unknown", 7.0).ok());  // unknown event: nothing was clipped
  EXPECT_TRUE(service.reward("e1", 7.0).ok());
  const std::string metrics = service->metrics();
  for (const char* line : {"sau_rewards_out_of_range_total{outcome=\"refused\"} 2",
                           "sau_rewards_out_of_range_total{outcome=\"clipped\"} 1"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line << "\n" << metrics;
  }
  const json totals = json::parse(service->status())["totals"];
  EXPECT_EQ(totals["refusedRewards"], 2);
  EXPECT_EQ(totals["clippedRewards"], 1);
}

TEST(RewardBounds, ANewFolderHasThemAndKeepsThem) {
  TestService service;
  EXPECT_EQ(service->configuration(), Configuration{});
  static_cast<void>(service.rank(simple_request("e1")));
  service.restart();  // nothing was ever configured
  EXPECT_EQ(service->configuration(), Configuration{});
  EXPECT_FALSE(service.reward("e1", 2.0).ok());
  EXPECT_EQ(notes_about_bounds(service), 0);
}

TEST(RewardBounds, AnOldFolderTakesAnyRewardUntilBoundsAreConfigured) {
  for (const bool configured : {false, true}) {
    TestService service;
    static_cast<void>(service.rank(simple_request("e1")));
    make_old(service);
    if (configured) {
      restart_with_old_configuration(service);
    } else {
      service.restart();
    }
    EXPECT_EQ(service->configuration().default_reward, configured ? -20.0 : 0.0);
    EXPECT_EQ(service->configuration().reward_wait_time, configured ? 300'000 : 600'000);
    EXPECT_EQ(notes_about_bounds(service), 1);
    EXPECT_TRUE(service.reward("e1", 1000.0).ok());
    EXPECT_FALSE(service.reward("e1", 1.1e9).ok());
    // Another setting does not change the bounds.
    ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT2M"})").ok());
    service.restart();
    EXPECT_EQ(notes_about_bounds(service), 2);
    EXPECT_TRUE(service.reward("e1", 1000.0).ok());
    const auto narrowed =
        service.configure(R"({"rewardMinimum":-1,"rewardMaximum":1,"defaultReward":0})");
    ASSERT_TRUE(narrowed.ok());
    service.restart();
    EXPECT_EQ(notes_about_bounds(service), 2);
    EXPECT_FALSE(service.reward("e1", 1000.0).ok());
  }
}

// A stored configuration without bounds is an old one, even in a new folder.
TEST(RewardBounds, AStoredConfigurationWithoutThemHasNone) {
  TestService service;
  restart_with_old_configuration(service);
  EXPECT_TRUE(service->configuration().takes_any_reward());
}

// A Beta posterior takes only rewards from 0 to 1.
TEST(RewardBounds, AreThoseThatTheAgentCanLearnFrom) {
  TestService service("beta_bernoulli+thompson");
  EXPECT_EQ(service->configuration().reward_minimum, 0.0);
  EXPECT_EQ(service->configuration().reward_maximum, 1.0);
  const auto wider = service.configure(R"({"rewardMinimum":-1})");
  ASSERT_FALSE(wider.ok());
  EXPECT_EQ(wider.failure().code, Failure::Code::kBadRequest);
  EXPECT_EQ(wider.failure().target, "rewardMinimum");
  EXPECT_NE(wider.failure().message.find("learns from 0 to 1"), std::string::npos);
  EXPECT_TRUE(service.configure(R"({"rewardMaximum":0.5})").ok());
}

TEST(RewardBounds, ASumBeyondWhatTheAgentCanLearnFromIsLearnedAsTheBound) {
  TestService service("beta_bernoulli+thompson");
  ASSERT_TRUE(service.configure(R"({"rewardAggregation":"sum","rewardWaitTime":"PT1M"})").ok());
  static_cast<void>(service.rank(simple_request("e1")));
  EXPECT_TRUE(service.reward("e1", 1.0).ok());
  EXPECT_TRUE(service.reward("e1", 1.0).ok());
  service.pass(2LL * 60 * 1000);
  service->settle();
  EXPECT_EQ(explanation(service, "e1")["reward"], 2.0);
  EXPECT_EQ(explanation(service, "e1")["state"], "learned");
  EXPECT_EQ(json::parse(service->model_properties())["eventsLearned"], 1);
}

}  // namespace
}  // namespace sau
