#include "sau/calibration/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "sau/core/error.hpp"
#include "sau/report/calibration_text.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

// Logs of one agent on a wheel, where rewards of all actions are realised at every step.
EvaluationStudy study_of(const std::string& logger, std::uint64_t trials) {
  EvaluationStudy study;
  study.logs.push_back(
      {make_cell("wheel(delta=0.5)", logger, 400, trials), RewardRange{0.9, 50.1}});
  study.policies = {{.name = "good", .spec = "linear(intercept=true)+epsilon_greedy(epsilon=0.1)"},
                    {.name = "bad",
                     .spec = "linear(intercept=true)+epsilon_greedy(epsilon=0.1)",
                     .reversed = true}};
  study.training = 500;
  return study;
}

const EstimatorError& error_of(const PolicyCalibration& result, std::string_view name) {
  return *std::ranges::find(result.estimators, name, &EstimatorError::estimator);
}

TEST(Calibration, APolicyThatReversesRewardsIsBad) {
  const auto results = calibrate(study_of("linear+uniform", 4), {});
  ASSERT_EQ(results.size(), 2);
  EXPECT_EQ(results[0].policy, "good");
  EXPECT_GT(results[0].truth, results[0].logged + 5.0);
  EXPECT_LT(results[1].truth, results[1].logged - 5.0);
}

// All weights are 1: the estimate is the mean reward of the log.
TEST(Calibration, APolicyThatPlaysLikeTheLogHasWeightOne) {
  EvaluationStudy study = study_of("linear+uniform", 3);
  study.policies = {{.name = "same", .spec = "linear+uniform"}};
  const auto results = calibrate(study, {});
  ASSERT_EQ(results.size(), 1);
  EXPECT_NEAR(results[0].effective_size, 400.0, 1e-9);
  const EstimatorError &ips = error_of(results[0], "ips"), &snips = error_of(results[0], "snips");
  EXPECT_NEAR(ips.root_square, snips.root_square, 1e-9);
  EXPECT_NEAR(ips.bias, results[0].logged - results[0].truth, 1e-9);
  EXPECT_GT(ips.root_square, 0.0);
}

TEST(Calibration, IsTheSameForAnyNumberOfThreads) {
  const EvaluationStudy study = study_of("linear+sau_sampling+ids(floor=0.02)", 3);
  const std::string one = calibration_json(calibrate(study, {.threads = 1}));
  EXPECT_EQ(one, calibration_json(calibrate(study, {.threads = 3})));
  EXPECT_NE(one, calibration_json(calibrate(study, {.seed = 2, .threads = 3})));
}

// The estimators that weigh are unbiased: over 40 logs the mean error is within 4 standard errors
// of 0. An interval of 95 % misses in at most 5 % of logs; more than 9 of 40, or 4 of 8, would be a
// chance of 1 in 10,000 or less.
TEST(Calibration, WeightedEstimatorsAreUnbiasedAndAnytimeHolds) {
  constexpr std::uint64_t kLogs = testing::kSanitizer ? 8 : 40, kMost = testing::kSanitizer ? 4 : 9;
  const auto results = calibrate(study_of("linear+sau_sampling+ids(floor=0.1)", kLogs), {});
  for (const PolicyCalibration& result : results) {
    for (const char* name : {"ips", "dr"}) {
      const EstimatorError& error = error_of(result, name);
      EXPECT_EQ(error.undefined, 0);
      EXPECT_LT(std::abs(error.bias), 4.0 * error.root_square / std::sqrt(kLogs)) << name;
    }
    EXPECT_EQ(result.intervals.front().kind, IntervalKind::kAnytime);
    EXPECT_LE(result.intervals.front().ever, kMost);
    EXPECT_LE(result.intervals.front().at_end, result.intervals.front().ever);
  }
}

TEST(Calibration, PairsCompareWithTheBestOfThree) {
  const auto entry = [](double dr, double ips, double snips, double dm) {
    PolicyCalibration result;
    result.log.problem = "p";
    result.log.agent = "a";
    result.estimators = {{.estimator = "dr x5", .root_square = dr},
                         {.estimator = "ips", .root_square = ips},
                         {.estimator = "snips", .root_square = snips},
                         {.estimator = "dm x5", .root_square = dm}};
    return result;
  };
  // Mean squares: dr (9 + 16) / 2, ips (25 + 25) / 2, snips (4 + 36) / 2, dm (49 + 1) / 2.
  const auto pairs = pair_errors({entry(3, 5, 2, 7), entry(4, 5, 6, 1)});
  ASSERT_EQ(pairs.size(), 1);
  EXPECT_EQ(pairs[0].best, "snips");
  EXPECT_DOUBLE_EQ(pairs[0].dr, std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(pairs[0].best_error, std::sqrt(20.0));
  EXPECT_DOUBLE_EQ(pairs[0].ratio(), std::sqrt(12.5 / 20.0));
}

TEST(Calibration, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(calibrate(study_of("linear+uniform", 3), {.stop = &stop}).empty());
}

TEST(Calibration, NeedsAFixedSetOfActions) {
  EvaluationStudy study = study_of("linear+uniform", 1);
  study.logs[0].cell = make_cell("clicks", "hashed_linear+sau_sampling", 100, 1);
  EXPECT_THROW(calibrate(study, {}), Error);
}

}  // namespace
}  // namespace sau
