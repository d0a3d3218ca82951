#include "sau/model/context_fold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/model/linear.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::setup_of;

std::vector<double> folded(ContextFold& fold, const std::vector<double>& x) {
  const Context sums = fold(x);
  return {sums.begin(), sums.end()};
}

TEST(ContextFold, LeavesNarrowContextsAlone) {
  const std::vector<double> x{1.0, -2.0, 3.0};
  for (const CountOrAll most : {CountOrAll{}, CountOrAll{3}, CountOrAll{100}}) {
    ContextFold fold(3, most);
    EXPECT_EQ(fold.width(), 3U);
    EXPECT_EQ(fold(x).data(), x.data());
  }
}

// Every column goes to one sum, with a sign, and the columns are dealt out evenly.
TEST(ContextFold, DealsColumnsOutEvenly) {
  constexpr std::size_t kDim = 103, kSums = 10;
  ContextFold fold(kDim, {kSums});
  ASSERT_EQ(fold.width(), kSums);
  std::vector<double> columns(kSums);
  double signs = 0.0;
  for (std::size_t i = 0; i < kDim; ++i) {
    std::vector<double> unit(kDim);
    unit[i] = 1.0;
    std::size_t places = 0;
    const auto sums = folded(fold, unit);
    for (std::size_t k = 0; k < kSums; ++k) {
      if (sums[k] == 0.0) continue;
      EXPECT_EQ(std::abs(sums[k]), 1.0);
      signs += sums[k];
      columns[k] += 1.0;
      ++places;
    }
    EXPECT_EQ(places, 1U) << i;
  }
  for (const double count : columns) EXPECT_TRUE(count == 10.0 || count == 11.0) << count;
  EXPECT_LT(std::abs(signs), 40.0);
}

TEST(ContextFold, KeepsProductsOnAverage) {
  constexpr std::size_t kDim = 400;
  const auto error = [](std::size_t sums) {
    ContextFold fold(kDim, {sums});
    Rng rng(Stream{.seed = 3});
    double squares = 0.0, bias = 0.0;
    constexpr int kPairs = 400;
    for (int n = 0; n < kPairs; ++n) {
      std::vector<double> x(kDim), y(kDim);
      for (double& xi : x) xi = rng.normal();
      for (double& yi : y) yi = rng.normal();
      const auto fx = folded(fold, x), fy = folded(fold, y);
      const double off = std::inner_product(fx.begin(), fx.end(), fy.begin(), 0.0) -
                         std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
      bias += off / kPairs;
      squares += off * off / kPairs;
    }
    EXPECT_LT(std::abs(bias), 4.0 * std::sqrt(squares / kPairs));
    return std::sqrt(squares);
  };
  EXPECT_LT(error(200), 0.6 * error(25));
}

TEST(ContextFold, ARegressionOnWideContextsIsOneOnTheSums) {
  ContextFold fold(12, {5});
  Linear wide(setup_of(2, 12), {.lambda = 0.5, .intercept = true, .columns = {5}}),
      narrow(setup_of(2, 5), {.lambda = 0.5, .intercept = true});
  Rng rng(Stream{.seed = 4});
  std::vector<double> x(12);
  for (int n = 0; n < 100; ++n) {
    for (double& xi : x) xi = rng.normal();
    const auto sums = folded(fold, x);
    for (Action a = 0; a < 2; ++a) {
      ASSERT_EQ(wide.values(x)[a], narrow.values(sums)[a]);
      ASSERT_EQ(wide.widths(x)[a], narrow.widths(sums)[a]);
    }
    const auto action = static_cast<Action>(n % 2);
    wide.update(x, action, x[0] - x[1]);
    narrow.update(sums, action, x[0] - x[1]);
  }
}

}  // namespace
}  // namespace sau
