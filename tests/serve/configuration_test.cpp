#include "sau/serve/configuration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace sau {
namespace {

TEST(Duration, AFailureNamesTheTextAndTheField) {
  EXPECT_EQ(read_duration("PT10M", "rewardWaitTime").value(), 600'000);
  const Failure failure = read_duration("10M", "rewardWaitTime").failure();
  EXPECT_EQ(failure.message.substr(0, 24), "'10M' is not a time; exp");
  EXPECT_EQ(failure.target, "rewardWaitTime");
}

TEST(Configuration, ReadsBackWhatItWrites) {
  Configuration configuration;
  configuration.reward_wait_time = 90'000;
  configuration.default_reward = -0.25;
  configuration.reward_minimum = -0.5;
  configuration.reward_maximum = 20.0;
  configuration.reward_out_of_range = RewardOutOfRange::kClip;
  configuration.reward_aggregation = RewardAggregation::kSum;
  configuration.exploration_percentage = 0.05;
  configuration.probability_floor = 0.125;
  configuration.model_export_frequency = 300'000;
  configuration.log_retention_days = -1;
  configuration.learning_mode = LearningMode::kApprentice;
  EXPECT_EQ(read_configuration(to_json(configuration), {}).value(), configuration);
  configuration.exploration_percentage.reset();
  EXPECT_EQ(read_configuration(to_json(configuration), {}).value(), configuration);
}

TEST(Configuration, FieldsThatAreAbsentStay) {
  Configuration before;
  before.default_reward = 3.0;
  before.reward_maximum = 5.0;
  const auto after = read_configuration(R"({"explorationPercentage":0.5})", before);
  EXPECT_EQ(after.value().default_reward, 3.0);
  EXPECT_EQ(after.value().reward_maximum, 5.0);
  EXPECT_EQ(after.value().exploration_percentage, 0.5);
}

TEST(Configuration, FieldsThatAreNullStayToo) {
  Configuration before;
  before.probability_floor = 0.1;
  before.policy = {.name = "calm", .agent = "hashed_linear+sau_ucb"};
  for (const char* name : {"rewardWaitTime", "defaultReward", "rewardAggregation", "learningMode",
                           "probabilityFloor", "logRetentionDays", "logMirrorSasUri", "policy"}) {
    const auto read = read_configuration("{\"" + std::string(name) + "\":null}", before);
    ASSERT_TRUE(read.ok()) << name << ": " << read.failure().message;
    EXPECT_EQ(read.value(), before) << name;
  }
  EXPECT_FALSE(read_configuration(R"({"explorationPercentage":null})", before)
                   .value()
                   .exploration_percentage.has_value());
}

// As in an example of the published document of v1.0.
TEST(Configuration, TimesMayBeOfClocks) {
  const auto time = [](const std::string& text) {
    const auto read = read_configuration("{\"rewardWaitTime\":\"" + text + "\"}", {});
    return read.ok() ? read.value().reward_wait_time : -1;
  };
  EXPECT_EQ(time("00:10:00"), 600'000);
  EXPECT_EQ(time("2.01:00:00.5"), (2 * 24 + 1) * 3'600'000 + 500);
  EXPECT_EQ(time("9999.23:59:59"), 863'999'999'000);
  for (const char* wrong : {"10:00", "24:00:00", "00:60:00", "1:00:00", "-00:10:00", "00:10:00 ",
                            "00:10:00.", "1.00:10", "99999.00:00:00", ".00:10:00", "00:10:0x",
                            "00:10:00Z", ":::", "10001.00:00:00"}) {
    EXPECT_EQ(time(wrong), -1) << wrong;
  }
}

TEST(Configuration, AFailureNamesTheField) {
  const auto target = [](const std::string& json) {
    const auto read = read_configuration(json, {});
    return read.ok() ? "fine" : read.failure().target;
  };
  EXPECT_EQ(target(R"({"rewardWaitTime":"10 minutes"})"), "rewardWaitTime");
  EXPECT_EQ(target(R"({"explorationPercentage":20})"), "explorationPercentage");
  EXPECT_EQ(target(R"({"probabilityFloor":1.5})"), "probabilityFloor");
  EXPECT_EQ(target(R"({"rewardAggregation":"mean"})"), "rewardAggregation");
  EXPECT_EQ(target(R"({"learningMode":"online"})"), "learningMode");
  EXPECT_EQ(target(R"({"defaultReward":"0"})"), "defaultReward");
  EXPECT_EQ(target(R"({"logRetentionDays":0.5})"), "logRetentionDays");
  EXPECT_EQ(target(R"({"rewardMinimum":-1.1e9})"), "rewardMinimum");
  EXPECT_EQ(target(R"({"rewardMaximum":"1"})"), "rewardMaximum");
  EXPECT_EQ(target(R"({"rewardOutOfRange":"ignore"})"), "rewardOutOfRange");
  EXPECT_EQ(target(R"({"logRetention":5})"), "logRetention");
  EXPECT_EQ(target(R"({"lastConfigurationEditDate":"2020-01-01"})"), "fine");
  EXPECT_FALSE(read_configuration("[]", {}).ok());
  EXPECT_FALSE(read_configuration("{", {}).ok());
  EXPECT_FALSE(read_configuration(std::string(100'000, '['), {}).ok());
}

TEST(Configuration, BoundsAndDefaultRewardMustFitTogether) {
  const auto target = [](const std::string& json) {
    const auto read = read_configuration(json, {});
    return read.ok() ? "fine" : read.failure().target;
  };
  EXPECT_EQ(target(R"({"rewardMinimum":0,"rewardMaximum":100,"defaultReward":50})"), "fine");
  EXPECT_EQ(target(R"({"defaultReward":50,"rewardMaximum":100})"), "fine");  // in any order
  EXPECT_EQ(target(R"({"defaultReward":1.5})"), "defaultReward");
  EXPECT_EQ(target(R"({"rewardMinimum":0.5})"), "rewardMinimum");
  EXPECT_EQ(target(R"({"rewardMaximum":-0.5})"), "rewardMaximum");
  EXPECT_EQ(target(R"({"rewardMinimum":1})"), "rewardMinimum");  // as large as the maximum
  EXPECT_EQ(target(R"({"rewardMaximum":-1})"), "rewardMaximum");
  EXPECT_EQ(target(R"({"rewardMinimum":-1e9,"rewardMaximum":1e9})"), "fine");
}

TEST(BoundedReward, IsRefusedOrClippedOutsideOfTheBounds) {
  Configuration configuration;
  for (const double fine : {-1.0, -0.0, 0.25, 1.0}) {
    EXPECT_EQ(bounded_reward(fine, configuration).value(), fine);
  }
  const auto refused = bounded_reward(1.5, configuration);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().target, "value");
  for (const char* word : {"1.5", "-1 to 1", "rewardMinimum", "rewardMaximum", "clip"}) {
    EXPECT_NE(refused.failure().message.find(word), std::string::npos) << refused.failure().message;
  }
  configuration.reward_out_of_range = RewardOutOfRange::kClip;
  EXPECT_EQ(bounded_reward(1.5, configuration).value(), 1.0);
  EXPECT_EQ(bounded_reward(-1e300, configuration).value(), -1.0);
  EXPECT_FALSE(bounded_reward(std::nan(""), configuration).ok());
}

}  // namespace
}  // namespace sau
