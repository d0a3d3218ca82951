#include "sau/stats/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "sau/core/rng.hpp"
#include "stats/bootstrap.hpp"
#include "stats/distributions.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::testing::SizeIs;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<double> normals(std::size_t count, std::uint64_t trial, double shift = 0.0) {
  Rng rng(Stream{.seed = 11, .trial = trial});
  std::vector<double> values(count);
  for (double& value : values) value = rng.normal() + shift;
  return values;
}

// (std::lgamma writes a global variable.)
double log_gamma(double x) { return boost::math::lgamma(x); }

// P(X <= k) for X ~ Binomial(n, p), summed term by term.
double binomial_cdf(int k, int n, double p) {
  double sum = 0.0;
  for (int i = 0; i <= k; ++i) {
    sum += std::exp(log_gamma(n + 1.0) - log_gamma(i + 1.0) - log_gamma(n - i + 1.0) +
                    i * std::log(p) + (n - i) * std::log1p(-p));
  }
  return sum;
}

// All 2^n signs of the ranks, one by one.
double p_by_enumeration(const std::vector<double>& differences) {
  const std::size_t n = differences.size();
  std::vector<double> rank(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const double other : differences) rank[i] += std::abs(other) < std::abs(differences[i]);
  }
  const double middle = static_cast<double>(n * (n + 1)) / 4.0;
  double seen = 0.0;
  for (std::size_t i = 0; i < n; ++i) seen += differences[i] > 0.0 ? rank[i] : 0.0;
  double extreme = 0.0;
  for (std::uint32_t signs = 0; signs < 1U << n; ++signs) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += (signs >> i & 1U) != 0 ? rank[i] : 0.0;
    extreme += std::abs(sum - middle) >= std::abs(seen - middle) ? 1.0 : 0.0;
  }
  return extreme / std::exp2(static_cast<double>(n));
}

TEST(SignedRankTest, PIsTheShareOfAllSignsThatAreAsExtreme) {
  for (std::size_t n = 1; n <= 12; ++n) {
    for (const double shift : {0.0, 0.4, -1.0}) {
      const auto differences = normals(n, n, shift);
      const SignedRankTest test = signed_rank_test(differences);
      EXPECT_TRUE(test.exact);
      EXPECT_NEAR(test.p, p_by_enumeration(differences), 1e-12) << n << " " << shift;
    }
  }
}

TEST(SignedRankTest, MatchesTheCriticalValuesOfTables) {
  // Ten differences, negative ones of ranks 1, 2 and 5: the smaller sum is 8, for which tables
  // give the 5 % level. P(sum <= 8) = 25 / 1024.
  const std::vector<double> differences = {-1, -2, 3, 4, -5, 6, 7, 8, 9, 10};
  EXPECT_NEAR(signed_rank_test(differences).p, 50.0 / 1024.0, 1e-15);
  EXPECT_NEAR(signed_rank_test(std::vector<double>{1, 2, 3, 4, 5}).p, 2.0 / 32.0, 1e-15);
  EXPECT_EQ(signed_rank_test(std::vector<double>{}).p, 1.0);
  EXPECT_EQ(signed_rank_test(std::vector<double>{0, 0, 0}).p, 1.0);
}

// With ties and zeros, by the textbook formulas: n differences, of which z are zero,
//   mean = (n (n+1) - z (z+1)) / 4,
//   variance = (n (n+1) (2n+1) - z (z+1) (2z+1)) / 24 - sum over ties of (t^3 - t) / 48.
TEST(SignedRankTest, TiesAndZerosByPrattsRule) {
  // |d|: 0 0 | 1 1 1 | 2 | 3 3 -> ranks 1.5 1.5 | 4 4 4 | 6 | 7.5 7.5.
  const std::vector<double> differences = {0, 3, -1, 1, 0, 1, 2, 3};
  const double positive = 7.5 + 4 + 4 + 6 + 7.5, n = 8, z = 2;
  const double mean = (n * (n + 1) - z * (z + 1)) / 4.0;
  const double variance =
      (n * (n + 1) * (2 * n + 1) - z * (z + 1) * (2 * z + 1)) / 24.0 - (24.0 + 6.0) / 48.0;
  const SignedRankTest test = signed_rank_test(differences);
  EXPECT_FALSE(test.exact);
  EXPECT_NEAR(test.p, std::erfc((positive - mean - 0.5) / std::sqrt(2.0 * variance)), 1e-12);
}

TEST(SignedRankTest, TheApproximationMeetsTheExactDistributionAtItsLimit) {
  auto differences = normals(50, 3, 0.3);
  const SignedRankTest exact = signed_rank_test(differences);
  ASSERT_TRUE(exact.exact);
  differences.push_back(0.0);  // one zero: the approximation, nearly the same ranks
  const SignedRankTest near = signed_rank_test(differences);
  EXPECT_FALSE(near.exact);
  EXPECT_NEAR(near.p, exact.p, 0.1 * exact.p);
}

TEST(Holm, MatchesTheHandCalculation) {
  // 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 raised to the one before it.
  EXPECT_THAT(holm(std::vector{0.01, 0.04, 0.03, 0.005}),
              Pointwise(DoubleNear(1e-15), {0.03, 0.06, 0.06, 0.02}));
  EXPECT_THAT(holm(std::vector{0.6, 0.7}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm(std::vector<double>{}), IsEmpty());
}

TEST(BcaInterval, LevelsAreShiftedByBiasAndAcceleration) {
  std::vector<double> resampled(999);
  std::iota(resampled.begin(), resampled.end(), 1.0);
  const Estimate plain = detail::bca_interval(500.0, resampled, 0.0);
  EXPECT_NEAR(plain.low, 1.0 + 0.025 * 998.0, 1e-9);
  EXPECT_NEAR(plain.high, 1.0 + 0.975 * 998.0, 1e-9);
  // Efron (1987, eq. 2.3) written out: value 700 has 699.5 of 999 below it.
  const double a = 0.05, bias = detail::normal_quantile(699.5 / 999.0), z = 1.959963984540054;
  const auto level = [&](double tail) {
    return detail::normal_cdf(bias + (bias + tail) / (1.0 - a * (bias + tail)));
  };
  const Estimate shifted = detail::bca_interval(700.0, resampled, a);
  EXPECT_NEAR(shifted.low, 1.0 + level(-z) * 998.0, 1e-6);
  EXPECT_NEAR(shifted.high, 1.0 + level(z) * 998.0, 1e-6);
}

// The resampled mean of zeros and ones is Binomial(n, p) / n, so everything is known exactly.
TEST(Bootstrap, MeanOfZerosAndOnesMatchesTheBinomial) {
  constexpr int kSize = 60, kOnes = 12;
  std::vector<double> values(kSize, 0.0);
  for (int i = 0; i < kOnes; ++i) values[static_cast<std::size_t>(5 * i)] = 1.0;
  const double p = 0.2, a = (1.0 - 2.0 * p) / (6.0 * std::sqrt(kSize * p * (1.0 - p)));
  const double below = 0.5 * (binomial_cdf(kOnes - 1, kSize, p) + binomial_cdf(kOnes, kSize, p));
  const double bias = detail::normal_quantile(below);
  const auto end = [&](double tail) {
    const double level = detail::normal_cdf(bias + (bias + tail) / (1.0 - a * (bias + tail)));
    int k = 0;
    while (binomial_cdf(k, kSize, p) < level) ++k;
    // The level is three standard errors of 20,000 resamples away from a step, so k is certain.
    EXPECT_GT(binomial_cdf(k, kSize, p) - level, 0.0033);
    EXPECT_GT(level - binomial_cdf(k - 1, kSize, p), 0.0033);
    return static_cast<double>(k) / kSize;
  };
  const Estimate mean = bootstrap(values, Location::kMean, 20'000, Stream{.seed = 5});
  EXPECT_NEAR(mean.value, 0.2, 1e-15);
  EXPECT_NEAR(mean.low, end(-1.959963984540054), 1e-12);
  EXPECT_NEAR(mean.high, end(1.959963984540054), 1e-12);
}

// The median of a resample of 2m + 1 values is at most the k-th when m + 1 or more draws are.
TEST(Bootstrap, MedianMatchesTheOrderStatistics) {
  constexpr int kSize = 21;
  std::vector<double> values(kSize);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::exp(0.1 * static_cast<double>(i));
  const auto cdf = [&](int k) {  // P(the median is among the k smallest)
    return 1.0 - binomial_cdf(kSize / 2, kSize, static_cast<double>(k) / kSize);
  };
  const double bias = detail::normal_quantile(0.5 * (cdf(10) + cdf(11)));
  const double a = detail::median_acceleration(values);
  EXPECT_NEAR(a, 0.0, 0.02) << "leaving one out changes a median by one of three steps";
  const auto end = [&](double tail) {
    const double level = detail::normal_cdf(bias + (bias + tail) / (1.0 - a * (bias + tail)));
    int k = 1;
    while (cdf(k) < level) ++k;
    EXPECT_GT(cdf(k) - level, 0.0033);
    EXPECT_GT(level - cdf(k - 1), 0.0033);
    return values[static_cast<std::size_t>(k - 1)];
  };
  const Estimate median = bootstrap(values, Location::kMedian, 20'000, Stream{.seed = 6});
  EXPECT_EQ(median.value, values[10]);
  EXPECT_NEAR(median.low, end(-1.959963984540054), 1e-12);
  EXPECT_NEAR(median.high, end(1.959963984540054), 1e-12);
}

TEST(Bootstrap, HasNoIntervalForFewerThanTwoValues) {
  EXPECT_FALSE(bootstrap(std::vector{3.0}, Location::kMean, 100, {}).has_interval());
  EXPECT_EQ(bootstrap(std::vector{3.0}, Location::kMedian, 100, {}).value, 3.0);
  EXPECT_TRUE(std::isnan(bootstrap(std::vector<double>{}, Location::kMean, 100, {}).value));
  const Estimate equal = bootstrap(std::vector{2.0, 2.0, 2.0}, Location::kMedian, 100, {});
  EXPECT_EQ(equal.low, 2.0);
  EXPECT_EQ(equal.high, 2.0);
}

TEST(Bootstrap, FewerResamplesForVeryManyTrials) {
  EXPECT_EQ(resamples_for(50), 2000U);
  EXPECT_EQ(resamples_for(10'000), 2000U);
  EXPECT_EQ(resamples_for(20'000), 1000U);
  EXPECT_EQ(resamples_for(10'000'000), 400U);
}

TEST(HeavyTailed, WhenFewTrialsMoveTheMean) {
  auto values = normals(200, 1, 100.0);
  EXPECT_FALSE(heavy_tailed(values));
  values[17] = 5000.0;
  EXPECT_TRUE(heavy_tailed(values));
  values[17] = 112.0;  // far out, 12 deviations, but it moves the mean by less than its error
  EXPECT_FALSE(heavy_tailed(values));
  EXPECT_FALSE(heavy_tailed(std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 900})) << "too few";
  EXPECT_TRUE(heavy_tailed(std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 900}));
}

TEST(Compare, PairsTrialByTrial) {
  const ProblemRegrets problem{"p", {{"a", {1, 2, 3, 4}}, {"b", {2, 2, 1, 6}}}};
  const ProblemComparison result = compare(problem);
  EXPECT_THAT(result.algorithms, ElementsAre("a", "b"));
  ASSERT_THAT(result.pairs, SizeIs(1));
  const PairComparison& pair = result.pairs[0];  // differences -1, 0, 2, -2
  EXPECT_EQ(pair.trials, 4U);
  EXPECT_EQ(pair.wins, 2U);
  EXPECT_EQ(pair.ties, 1U);
  EXPECT_EQ(pair.losses, 1U);
  EXPECT_EQ(pair.mean.value, -0.25);
  EXPECT_EQ(pair.median.value, -0.5);
  EXPECT_LE(pair.mean.low, pair.mean.value);
  EXPECT_GE(pair.mean.high, pair.mean.value);
  EXPECT_EQ(result.resamples, 2000U);
}

TEST(Compare, RoundingIsNotADifference) {
  const ProblemRegrets problem{"p", {{"a", {1.2, 5.0}}, {"b", {1.1999999999999997, 5.1}}}};
  const PairComparison pair = compare(problem).pairs.at(0);
  EXPECT_EQ(pair.ties, 1U);
  EXPECT_EQ(pair.wins, 1U);
}

TEST(Compare, NoiseThatTrialsShareCancels) {
  const auto noise = normals(40, 7, 50.0);
  auto lower = noise;
  for (std::size_t i = 0; i < lower.size(); ++i) lower[i] -= i % 2 == 0 ? 0.01 : 0.02;
  const PairComparison pair = compare({"p", {{"a", lower}, {"b", noise}}}).pairs.at(0);
  EXPECT_NEAR(pair.mean.value, -0.015, 1e-12);
  EXPECT_LT(pair.mean.high, -0.01);
  EXPECT_LT(pair.p_holm, 1e-6);
}

TEST(Compare, OnlyTrialsThatBothHaveAndNeitherFailed) {
  const ProblemRegrets problem{
      "p", {{"a", {1, kNone, 3, 4, 9}}, {"b", {2, 2, 5, kNone}}, {"c", {kNone, 1}}}};
  const auto pairs = compare(problem).pairs;
  ASSERT_THAT(pairs, SizeIs(2)) << "a and c have no trial in common";
  EXPECT_EQ(pairs[0].trials, 2U);
  EXPECT_EQ(pairs[0].mean.value, -1.5);
  EXPECT_EQ(pairs[1].a, 1U);
  EXPECT_EQ(pairs[1].b, 2U);
  EXPECT_FALSE(pairs[1].mean.has_interval()) << "one trial";
}

TEST(Compare, TrialsFromTwoSourcesAreNotPaired) {
  EXPECT_THAT(compare({"p", {{"a", {1, 2}, 1}, {"b", {1, 2}, 2}}}).pairs, IsEmpty());
}

TEST(Compare, APairDoesNotDependOnOthersNorOnTheOrder) {
  const AlgorithmRegrets a{"a", normals(30, 1)}, b{"b", normals(30, 2)}, c{"c", normals(30, 3)};
  const auto alone = compare({"p", {a, b}}).pairs.at(0);
  const auto pairs = compare({"p", {c, b, a}}).pairs;
  const PairComparison& other = pairs.at(2);  // b - a
  EXPECT_NEAR(other.mean.low, -alone.mean.high, 1e-12);
  EXPECT_NEAR(other.mean.high, -alone.mean.low, 1e-12);
  EXPECT_NEAR(other.median.low, -alone.median.high, 1e-12);
  EXPECT_EQ(other.p, alone.p);
  EXPECT_EQ(other.wins, alone.losses);
  EXPECT_EQ(compare({"p", {a, b}}).pairs.at(0).mean.low, alone.mean.low);
  EXPECT_NE(compare({"q", {a, b}}).pairs.at(0).mean.low, alone.mean.low) << "another stream";
}

TEST(Ranks, MeansOfRanksWithTiesShared) {
  const std::vector<ProblemRegrets> problems = {
      {"p", {{"a", {1, 1}}, {"b", {2, 2}}, {"c", {2, 2}}}},
      {"q", {{"c", {1, 1}}, {"b", {2, 2}}, {"a", {3, 3}}}}};
  const RankTable table = rank_algorithms(problems);
  EXPECT_THAT(table.problems, ElementsAre("p", "q"));
  ASSERT_THAT(table.algorithms, SizeIs(3));
  EXPECT_EQ(table.algorithms[0].algorithm, "c");
  EXPECT_EQ(table.algorithms[0].rank.value, 1.75);
  EXPECT_THAT(table.algorithms[0].ranks, ElementsAre(2.5, 1.0));
  EXPECT_EQ(table.algorithms[1].algorithm, "a");
  EXPECT_EQ(table.algorithms[1].rank.value, 2.0);
  EXPECT_EQ(table.algorithms[2].rank.value, 2.25);
  EXPECT_EQ(table.algorithms[2].rank.low, 2.25) << "every resample is the same";
}

TEST(Ranks, TrialsAreResampledTogether) {
  // b is always a little above a, whatever the noise: no resample reverses them.
  const auto noise = normals(30, 4);
  auto above = noise;
  for (double& value : above) value += 0.001;
  const auto paired =
      rank_algorithms(std::vector<ProblemRegrets>{{"p", {{"b", above}, {"a", noise}}}});
  EXPECT_EQ(paired.algorithms[0].algorithm, "a");
  EXPECT_EQ(paired.algorithms[0].rank.high, 1.0);
  const auto apart = rank_algorithms(
      std::vector<ProblemRegrets>{{"p", {{"a", normals(30, 5)}, {"b", normals(30, 6)}}}});
  EXPECT_EQ(apart.algorithms[0].rank.low, 1.0);
  EXPECT_EQ(apart.algorithms[0].rank.high, 2.0);
}

TEST(Ranks, LeaveOutProblemsThatCannotBeRanked) {
  const std::vector<ProblemRegrets> problems = {{"none", {{"a", {kNone, 1}}, {"b", {1, kNone}}}},
                                                {"sources", {{"a", {1}, 1}, {"b", {2}, 2}}},
                                                {"good", {{"a", {1, 9}}, {"b", {2}}}}};
  const RankTable table = rank_algorithms(problems);
  EXPECT_THAT(table.problems, ElementsAre("good"));
  EXPECT_FALSE(table.algorithms.at(0).rank.has_interval()) << "one trial";
  const std::vector<ProblemRegrets> uneven = {{"p", {{"a", {1}}, {"b", {1}}}}, {"q", {{"a", {1}}}}};
  EXPECT_THAT(sau::testing::error_of([&] { rank_algorithms(uneven); }),
              HasSubstr("q is without b"));
  EXPECT_THAT(rank_algorithms({}).algorithms, IsEmpty());
}

}  // namespace
}  // namespace sau
