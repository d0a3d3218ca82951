#include "sau/model/stacking.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "model/naive_stacking.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"

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
    for (int n = 0; n < 200; ++n) {
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

// Rewards have a noise of 1. The second opinion errs by it alone, the first by 0.1 more: its loss
// is one per cent larger.
TEST(Stacking, GivesNothingToAnOpinionThatAddsOnlyError) {
  Rng rng({.seed = 8});
  Stacking stacking(2);
  for (int n = 0; n < 20000; ++n) {
    const double noise = rng.normal();
    stacking.observe(std::vector<double>{noise + 0.1 * rng.normal(), noise});
  }
  EXPECT_LT(stacking.weights()[0], 0.1);
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

TEST(Stacking, OpinionsThatAreAlwaysEqualShareWeightsThatAreFinite) {
  Rng rng({.seed = 10});
  Stacking stacking(3);
  for (int n = 0; n < 1000; ++n) {
    const double error = rng.normal();
    stacking.observe(std::vector<double>{error, error, error});
    const auto s = weights_of(stacking);
    for (const double w : s) ASSERT_GE(w, 0.0);
    ASSERT_NEAR(std::accumulate(s.begin(), s.end(), 0.0), 1.0, 1e-12);
  }
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

}  // namespace
}  // namespace sau
