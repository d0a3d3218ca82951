#include "sau/evaluate/mean_sequence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "evaluate/stitched_sequence.hpp"
#include "sau/core/rng.hpp"

namespace sau {
namespace {

// The same money, number by number and bet by bet.
double naive_log_wealth(const std::vector<std::vector<double>>& ways,
                        const std::vector<double>& shifts, double m) {
  double money = 0.0;
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    for (int j = 0; j < 49; ++j) {
      const double b = std::pow(2.0, -14.0 + 0.5 * j);
      double one = 1.0;
      for (const double y : ways[s]) {
        const double l = b / (1.0 + b * (m + shifts[s]));
        one *= 1.0 + l * (y - m);
      }
      money += one;
    }
  }
  return std::log(money / (49.0 * static_cast<double>(shifts.size())));
}

TEST(MeanSequence, IsTheMoneyOfManyBets) {
  const std::vector<double> shifts = {0.0, 2.0};
  const std::vector<std::vector<double>> ways = {{0.5, 0.0, 3.0, 0.25}, {0.5, -1.5, 2.0, 0.25}};
  LowerMeanSequence sequence(shifts);
  for (std::size_t i = 0; i < ways[0].size(); ++i) {
    sequence.add(std::array{ways[0][i], ways[1][i]});
  }
  for (const double m : {0.0, 0.1, 0.5, 0.9, 3.0}) {
    EXPECT_NEAR(sequence.log_wealth(m), naive_log_wealth(ways, shifts, m), 1e-12) << m;
  }
}

TEST(MeanSequence, TheBoundIsWhereTheMoneyIsEnough) {
  LowerMeanSequence sequence;
  EXPECT_EQ(sequence.bound(0.05, 0.0), 0.0);
  Rng rng(Stream{.seed = 3});
  for (int i = 0; i < 5000; ++i) sequence.add(rng.uniform());
  const double bound = sequence.bound(0.05, 0.0);
  EXPECT_GT(bound, 0.47);
  EXPECT_LT(bound, 0.5);
  EXPECT_NEAR(sequence.log_wealth(bound), std::log(20.0), 1e-6);
  EXPECT_GE(sequence.log_wealth(bound - 1e-6), std::log(20.0));
  EXPECT_LT(sequence.log_wealth(bound + 1e-6), std::log(20.0));
}

TEST(MeanSequence, ManyLargeNumbersDoNotOverflow) {
  LowerMeanSequence sequence;
  for (int i = 0; i < 20000; ++i) sequence.add(1e9);
  const double bound = sequence.bound(0.05, 0.0);
  EXPECT_TRUE(std::isfinite(bound));
  EXPECT_GT(bound, 1e8);
  EXPECT_LE(bound, 1e9);
}

// Vowpal Wabbit's own test prints [0.4215480, 0.7907692] for these pairs.
TEST(MeanSequence, IsNotWiderThanVowpalWabbitOnItsTestData) {
  LowerMeanSequence low, high;
  StitchedSequence rival;
  for (int i = 0; i < 4000; ++i) {
    const double w = 0.5 + 0.1 * (i % 4), r = w;
    low.add(w * r);
    high.add(w * (1.0 - r));
    rival.add(w, r);
  }
  // Our implementation of its interval gives its numbers.
  EXPECT_NEAR(rival.low(0.05), 0.4215480, 1e-6);
  EXPECT_NEAR(rival.high(0.05), 0.7907692, 1e-6);
  const double lower = low.bound(0.025, 0.0), upper = 1.0 - high.bound(0.025, 0.0);
  EXPECT_LT(lower, 0.435);  // the mean of w r
  EXPECT_GT(upper, 0.785);  // 1 - the mean of w (1 - r)
  EXPECT_LT(upper - lower, rival.high(0.05) - rival.low(0.05));
}

}  // namespace
}  // namespace sau
