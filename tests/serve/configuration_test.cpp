#include "sau/serve/configuration.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sau {
namespace {

TEST(Duration, IsReadAndWritten) {
  const auto milliseconds = [](const char* text) { return read_duration(text, "t").value(); };
  EXPECT_EQ(milliseconds("PT10M"), 600'000);
  EXPECT_EQ(milliseconds("P1DT2H3M4.5S"), 93'784'500);
  EXPECT_EQ(milliseconds("P2W"), 14LL * 86'400'000);
  EXPECT_EQ(milliseconds("PT0S"), 0);
  for (const Milliseconds time : {0LL, 1LL, 1000LL, 600'000LL, 86'400'000LL, 93'784'500LL}) {
    EXPECT_EQ(milliseconds(write_duration(time).c_str()), time) << write_duration(time);
  }
}

TEST(Duration, OtherTextIsRefused) {
  for (const char* text : {"", "P", "PT", "10M", "PT10", "PT-1M", "P1H", "PT1D", "PT1S1M", "PT1M1M",
                           "PTM", "PTnanS", "PT1e3S", "P10001D", "PT1M "}) {
    EXPECT_FALSE(read_duration(text, "t").ok()) << text;
  }
}

TEST(Time, IsIso8601InUtc) {
  EXPECT_EQ(write_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(write_time(1'000'000'000'123), "2001-09-09T01:46:40.123Z");
}

TEST(Configuration, ReadsBackWhatItWrites) {
  Configuration configuration;
  configuration.reward_wait_time = 90'000;
  configuration.default_reward = -0.25;
  configuration.reward_aggregation = RewardAggregation::kSum;
  configuration.exploration_percentage = 0.05;
  configuration.model_export_frequency = 300'000;
  configuration.log_retention_days = -1;
  configuration.learning_mode = LearningMode::kApprentice;
  EXPECT_EQ(read_configuration(to_json(configuration), {}).value(), configuration);
}

TEST(Configuration, WhatIsNotMentionedStays) {
  Configuration before;
  before.default_reward = 3.0;
  const auto after = read_configuration(R"({"explorationPercentage":0.5})", before);
  EXPECT_EQ(after.value().default_reward, 3.0);
  EXPECT_EQ(after.value().exploration_percentage, 0.5);
}

TEST(Configuration, WhatIsWrongIsNamed) {
  const auto target = [](const std::string& json) {
    const auto read = read_configuration(json, {});
    return read.ok() ? "fine" : read.failure().target;
  };
  EXPECT_EQ(target(R"({"rewardWaitTime":"10 minutes"})"), "rewardWaitTime");
  EXPECT_EQ(target(R"({"explorationPercentage":20})"), "explorationPercentage");
  EXPECT_EQ(target(R"({"rewardAggregation":"mean"})"), "rewardAggregation");
  EXPECT_EQ(target(R"({"learningMode":"online"})"), "learningMode");
  EXPECT_EQ(target(R"({"defaultReward":"0"})"), "defaultReward");
  EXPECT_EQ(target(R"({"logRetentionDays":0.5})"), "logRetentionDays");
  EXPECT_EQ(target(R"({"logRetention":5})"), "logRetention");
  EXPECT_EQ(target(R"({"lastConfigurationEditDate":"2020-01-01"})"), "fine");
  EXPECT_FALSE(read_configuration("[]", {}).ok());
  EXPECT_FALSE(read_configuration("{", {}).ok());
  EXPECT_FALSE(read_configuration(std::string(100'000, '['), {}).ok());
}

}  // namespace
}  // namespace sau
