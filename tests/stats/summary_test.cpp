#include "sau/stats/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "sau/core/rng.hpp"

namespace sau {
namespace {

// Type 7: the place of q is q * (n - 1), between the values around it.
TEST(Quantile, InterpolatesBetweenNeighbours) {
  const std::vector<double> values = {1.0, 2.0, 4.0, 8.0};
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);  // place 0.75: 1 + 0.75 * (2 - 1)
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3.0);    // place 1.5:  2 + 0.5 * (4 - 2)
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 6.8);    // place 2.7:  4 + 0.7 * (8 - 4)
}

// numpy.percentile([15, 20, 35, 40, 50], [5, 30, 40, 95]) is [16, 23, 29, 48].
TEST(Quantile, AgreesWithNumPy) {
  const std::vector<double> values = {15.0, 20.0, 35.0, 40.0, 50.0};
  EXPECT_DOUBLE_EQ(quantile(values, 0.05), 16.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.3), 23.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.4), 29.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 48.0);
}

TEST(Quantile, EndsAreTheExtremes) {
  const std::vector<double> values = {-3.0, 0.0, 7.0};
  EXPECT_EQ(quantile(values, 0.0), -3.0);
  EXPECT_EQ(quantile(values, 1.0), 7.0);
}

TEST(Quantile, OneValueIsEveryQuantile) {
  const std::vector<double> values = {2.5};
  for (const double q : {0.0, 0.1, 0.5, 1.0}) EXPECT_EQ(quantile(values, q), 2.5);
}

// mean 2.5; squares 2.25 + 0.25 + 0.25 + 2.25 = 5; variance 5 / 3; sem sqrt(5 / 3 / 4).
TEST(Summarise, StandardErrorUsesTheSampleVariance) {
  const Summary summary = summarise(std::vector<double>{4.0, 1.0, 3.0, 2.0});
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.sem, std::sqrt(5.0 / 12.0));
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.p10, 1.3);
  EXPECT_DOUBLE_EQ(summary.p90, 3.7);
}

TEST(Summarise, DoesNotDependOnTheOrder) {
  const Summary one = summarise(std::vector<double>{0.1, 1e10, -7.3, 2.2, 1e-9});
  const Summary two = summarise(std::vector<double>{1e-9, 2.2, 0.1, 1e10, -7.3});
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.sem, two.sem);
  EXPECT_EQ(one.median, two.median);
}

TEST(Summarise, ASingleTrialHasNoStandardError) {
  const Summary summary = summarise(std::vector<double>{3.0});
  EXPECT_EQ(summary.mean, 3.0);
  EXPECT_EQ(summary.sem, 0.0);
  EXPECT_EQ(summary.p10, 3.0);
}

TEST(Summarise, NoValuesAreAllZero) {
  const Summary summary = summarise({});
  EXPECT_EQ(summary.mean, 0.0);
  EXPECT_EQ(summary.median, 0.0);
}

std::vector<double> values_of(int count, const std::function<double(int)>& value) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(value(i));
  return values;
}

TEST(TwoGroups, AreFoundWhereTrialsAreOfTwoKinds) {
  // 45 trials near 30, 5 trials near 500.
  const auto found =
      two_groups(values_of(50, [](int i) { return i % 10 == 0 ? 500.0 + i : 30.0 + i % 7; }));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->share, 0.1);
  EXPECT_DOUBLE_EQ(found->high, 520.0);
  EXPECT_NEAR(found->low, 33.0, 1.0);
}

TEST(TwoGroups, AreNotFoundInOneGroup) {
  Rng rng({.seed = 3});
  for (const int count : {20, 50, 500}) {
    EXPECT_FALSE(two_groups(values_of(count, [&](int) { return 1e6 + rng.normal(); })));
    EXPECT_FALSE(two_groups(values_of(count, [&](int) { return rng.uniform(); })));
    EXPECT_FALSE(two_groups(values_of(count, [&](int) { return -std::log(1.0 - rng.uniform()); })));
    EXPECT_FALSE(two_groups(values_of(count, [](int) { return 7.0; })));
  }
}

TEST(TwoGroups, NeedEnoughTrialsOfBothKinds) {
  EXPECT_FALSE(two_groups(values_of(19, [](int i) { return i < 9 ? 0.0 : 100.0; })));
  EXPECT_TRUE(two_groups(values_of(20, [](int i) { return i < 9 ? 0.0 : 100.0; })));
  EXPECT_FALSE(two_groups(values_of(100, [](int i) { return i < 2 ? 100.0 : 0.01 * i; })));
  EXPECT_FALSE(two_groups({}));
}

}  // namespace
}  // namespace sau
