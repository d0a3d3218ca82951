#include "sau/model/stacking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "model/naive_stacking.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using testing::naive_mixture;

std::vector<double> weights_of(const Stacking& stacking) {
  return {stacking.weights().begin(), stacking.weights().end()};
}

// Errors of opinions that share something, each with its own size.
std::vector<double> random_errors(Rng& rng, std::size_t opinions) {
  const double shared = rng.normal();
  std::vector<double> error;
  for (std::size_t k = 0; k < opinions; ++k) {
    error.push_back(shared + (0.3 + 0.4 * static_cast<double>((k + 2) % opinions)) * rng.normal());
  }
  return error;
}

TEST(Stacking, BelievesTheFirstOpinionBeforeTheFirstReward) {
  EXPECT_THAT(weights_of(Stacking(3)), ElementsAre(1.0, 0.0, 0.0));
  EXPECT_THAT(weights_of(Stacking(1)), ElementsAre(1.0));
}

// Errors (2, 2), (-2, -2), (-1, 0): A = ((5, 4), (4, 4)), N = 2, so the penalty is 5 * 4 / 2 = 10.
// With s = (1 - t, t) that is 5 - 2t + t^2 + 20 t^2, least at t = 1/21.
TEST(Stacking, IsTheFormulaAfterThreeRewards) {
  Stacking stacking(2);
  stacking.observe(std::vector<double>{2.0, 2.0});
  stacking.observe(std::vector<double>{-2.0, -2.0});
  stacking.observe(std::vector<double>{-1.0, 0.0});
  EXPECT_THAT(weights_of(stacking),
              ElementsAre(DoubleNear(20.0 / 21.0, 1e-9), DoubleNear(1.0 / 21.0, 1e-9)));
}

TEST(Stacking, EqualsTheBestOfAllChoicesOfOpinions) {
  for (const std::size_t opinions : {2, 3, 5}) {
    Rng rng({.seed = 7});
    Stacking stacking(opinions);
    std::vector<std::vector<double>> errors;
    for (int n = 0; n < testing::repeats(200); ++n) {
      errors.push_back(random_errors(rng, opinions));
      stacking.observe(errors.back());
      const auto expected = naive_mixture(errors, opinions), found = weights_of(stacking);
      for (std::size_t k = 0; k < opinions; ++k) {
        ASSERT_NEAR(found[k], expected[k], 1e-6) << "opinion " << k << " after reward " << n;
      }
      ASSERT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 1.0, 1e-12);
    }
  }
}

// Independent errors are mixed by the inverse of their variances: 1 and 1/4.
TEST(Stacking, MixesOpinionsThatErrInDifferentWays) {
  Stacking stacking(2);
  for (int n = 0; n < 40000; ++n) {
    stacking.observe(std::vector<double>{n % 2 == 0 ? 2.0 : -2.0, n % 4 < 2 ? 1.0 : -1.0});
  }
  EXPECT_THAT(weights_of(stacking), ElementsAre(DoubleNear(0.2, 1e-3), DoubleNear(0.8, 1e-3)));
}

// Rewards have a noise of 1. The second opinion errs by it alone, the first by 0.1 more, so that
// its loss is one per cent larger. The two parts of its error are exactly orthogonal. Then A = N
// ((1.01, 1), (1, 1)), the penalty is 5, and s_0 is least for 0.01 N s^2 + 10 (1 - s)^2.
TEST(Stacking, GivesLittleToAnOpinionThatAddsOnlyErrorOnceThereAreEnoughRewards) {
  Stacking stacking(2);
  for (int n = 0; n < 400000; ++n) {
    const double noise = n % 2 == 0 ? 1.0 : -1.0, own = n % 4 < 2 ? 0.1 : -0.1;
    stacking.observe(std::vector<double>{noise + own, noise});
    if (n == 3999) {
      EXPECT_NEAR(stacking.weights()[0], 10.0 / (0.01 * 2000.0 + 10.0), 0.01);
    }
  }
  EXPECT_NEAR(stacking.weights()[0], 10.0 / (0.01 * 200000.0 + 10.0), 1e-4);
}

TEST(Stacking, TheUnitOfTheErrorsDoesNotMatter) {
  for (const double unit : {1024.0, 1.0 / 4096.0, 0x1p400}) {
    Rng rng({.seed = 9});
    Stacking plain(4), scaled(4);
    for (int n = 0; n < 100; ++n) {
      auto error = random_errors(rng, 4);
      plain.observe(error);
      for (double& e : error) e *= unit;
      scaled.observe(error);
      ASSERT_EQ(weights_of(plain), weights_of(scaled)) << "reward " << n;
    }
  }
}

TEST(Stacking, AmongOpinionsThatAreAlwaysEqualTheFirstIsBelieved) {
  Rng rng({.seed = 10});
  Stacking stacking(3);
  for (int n = 0; n < 1000; ++n) {
    const double error = rng.normal();
    stacking.observe(std::vector<double>{error, error, error});
    ASSERT_THAT(weights_of(stacking),
                ElementsAre(DoubleNear(1.0, 1e-6), DoubleNear(0.0, 1e-6), DoubleNear(0.0, 1e-6)));
  }
}

// Half of the errors are shared, and each opinion has its own size of the other half.
TEST(Stacking, ManyOpinionsHaveTheirBestMixtureToo) {
  constexpr std::size_t kOpinions = 40;
  Rng rng({.seed = 14});
  Stacking stacking(kOpinions);
  std::vector<double> product(kOpinions * kOpinions);
  for (int n = 0; n < 300; ++n) {
    const auto error = random_errors(rng, kOpinions);
    stacking.observe(error);
    for (std::size_t i = 0; i < kOpinions; ++i) {
      for (std::size_t j = 0; j < kOpinions; ++j) {
        double& sum = product[i * kOpinions + j];
        sum = sum * n / (n + 1.0) + error[i] * error[j];
      }
    }
  }
  // The conditions of Karush, Kuhn and Tucker: the slope is the same for all opinions that take
  // part, and not smaller for the others.
  const auto s = weights_of(stacking);
  double least = product[0], most = product[0];
  for (std::size_t k = 0; k < kOpinions; ++k) {
    least = std::min(least, product[k * kOpinions + k]);
    most = std::max(most, product[k * kOpinions + k]);
  }
  const double penalty = 5.0 * least / (301.0 / 2.0) + 1e-9 * most;
  std::vector<double> slope(kOpinions);
  double level = 0.0;
  for (std::size_t i = 0; i < kOpinions; ++i) {
    slope[i] = penalty * (s[i] - (i == 0 ? 1.0 : 0.0));
    for (std::size_t j = 0; j < kOpinions; ++j) slope[i] += product[i * kOpinions + j] * s[j];
    ASSERT_GE(s[i], 0.0);
    level += s[i] * slope[i];
  }
  std::size_t taking_part = 0;
  for (std::size_t k = 0; k < kOpinions; ++k) {
    if (s[k] > 0.0) ++taking_part;
    ASSERT_GE(slope[k], level - 1e-8 * most);
    if (s[k] > 0.0) {
      ASSERT_NEAR(slope[k], level, 1e-8 * most);
    }
  }
  EXPECT_GT(taking_part, 3U);
  EXPECT_LT(taking_part, kOpinions);
}

TEST(Stacking, WithoutAnyErrorTheFirstKeepsItsWeight) {
  Stacking stacking(2);
  stacking.observe(std::vector<double>{0.0, 0.0});
  EXPECT_THAT(weights_of(stacking), ElementsAre(1.0, 0.0));
  stacking.observe(std::vector<double>{0.0, 1.0});
  EXPECT_THAT(weights_of(stacking), ElementsAre(1.0, 0.0));
}

TEST(Stacking, AnOpinionWithoutErrorsIsBelievedAgainstTheFirst) {
  Stacking stacking(2);
  for (int n = 0; n < 10; ++n) stacking.observe(std::vector<double>{1.0, 0.0});
  EXPECT_NEAR(stacking.weights()[1], 1.0, 1e-6);
}

TEST(Stacking, OneThatIsLeftOutGetsNothing) {
  Rng rng({.seed = 11});
  Stacking three(3), two(2);
  three.leave_out(0);
  EXPECT_THAT(weights_of(three), ElementsAre(0.0, 1.0, 0.0));
  for (int n = 0; n < 50; ++n) {
    const auto error = random_errors(rng, 3);
    three.observe(
        std::vector<double>{std::numeric_limits<double>::quiet_NaN(), error[1], error[2]});
    two.observe(std::vector<double>{error[1], error[2]});
    const auto s = weights_of(two);
    ASSERT_THAT(weights_of(three), ElementsAre(0.0, s[0], s[1]));
  }
  three.leave_out(1);
  EXPECT_THAT(weights_of(three), ElementsAre(0.0, 0.0, 1.0));
  three.leave_out(2);
  EXPECT_THAT(weights_of(three), ElementsAre(0.0, 0.0, 0.0));
}

// As if the opinion had never been there, although its errors were counted before.
TEST(Stacking, WhatItLearnedFromOneThatIsLeftOutIsForgotten) {
  Rng rng({.seed = 12});
  Stacking three(3), two(2);
  for (int n = 0; n < 50; ++n) {
    const auto error = random_errors(rng, 3);
    three.observe(error);
    two.observe(std::vector<double>{error[0], error[2]});
  }
  three.leave_out(1);
  const auto s = weights_of(two);
  EXPECT_THAT(weights_of(three), ElementsAre(s[0], 0.0, s[1]));
}

TEST(Stacking, ContinuesAfterSaveAndLoad) {
  Rng rng({.seed = 13});
  Stacking saved(3);
  for (int n = 0; n < 30; ++n) saved.observe(random_errors(rng, 3));
  saved.leave_out(0);
  StateWriter writer;
  Stacking::state(saved, writer);
  Stacking loaded(3);
  StateReader reader(writer.bytes());
  Stacking::state(loaded, reader);
  reader.finish();
  loaded.restored(30, std::vector<std::uint8_t>{1, 0, 0});
  EXPECT_EQ(weights_of(saved), weights_of(loaded));
  const auto error = random_errors(rng, 3);
  saved.observe(error);
  loaded.observe(error);
  EXPECT_EQ(weights_of(saved), weights_of(loaded));
}

// A forged file may have numbers that no errors have.
TEST(Stacking, AnyStateGivesAnAnswer) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, -1.0, -1e300, 1e300}) {
    for (const std::size_t at : {0, 1, 4}) {
      StateWriter writer;
      std::vector<double> product = {1.0, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 1.0};
      product[at] = bad;
      writer("error_products", product);
      Stacking stacking(3);
      StateReader reader(writer.bytes());
      Stacking::state(stacking, reader);
      stacking.restored(10, std::vector<std::uint8_t>(3));
      double sum = 0.0;
      for (const double w : stacking.weights()) sum += w;
      EXPECT_TRUE(std::isnan(sum) || std::abs(sum - 1.0) < 1e-6) << bad << " at " << at;
    }
  }
}

}  // namespace
}  // namespace sau
