#include "sau/model/ridge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/naive_ridge.hpp"
#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using testing::NaiveRidge;

std::vector<double> normal_context(Rng& rng, std::size_t dim) {
  std::vector<double> x(dim);
  for (double& element : x) element = rng.normal();
  return x;
}

// The largest difference of theta, relative to its length.
double theta_error(const Ridge& ridge, Action action, const NaiveRidge& naive) {
  const auto ours = ridge.theta(action);
  const auto theirs = naive.theta();
  long double error = 0, length = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    error = std::max(error, std::abs(ours[i] - theirs[i]));
    length += theirs[i] * theirs[i];
  }
  return static_cast<double>(error / std::sqrt(length));
}

double form_error(Ridge& ridge, Action action, const NaiveRidge& naive, Context x) {
  const long double expected = naive.form(x);
  return static_cast<double>(std::abs(ridge.forms(x)[action] - expected) / expected);
}

TEST(Ridge, SolvesTheNormalEquationsAfterEveryStep) {
  for (const std::size_t dim : {1U, 2U, 3U, 4U, 5U, 8U, 13U, 21U}) {
    Ridge ridge({.actions = 3, .dim = dim}, 0.7, false);
    std::vector<NaiveRidge> naive(3, NaiveRidge(dim, 0.7L));
    Rng rng(Stream{.seed = dim});
    for (int step = 0; step < 150; ++step) {
      const auto x = normal_context(rng, dim);
      const auto action = static_cast<Action>(rng.below(3));
      const double reward = x[0] + rng.normal();
      ridge.update(x, action, reward);
      naive[action].add(x, reward);
      ASSERT_LT(theta_error(ridge, action, naive[action]), 1e-12) << dim << ", step " << step;
      ASSERT_LT(form_error(ridge, action, naive[action], x), 1e-12) << dim << ", step " << step;
      ASSERT_NEAR(ridge.values(x)[action], static_cast<double>(naive[action].value(x)), 1e-12);
    }
  }
}

TEST(Ridge, MatchesTheHandCalculationInOneDimension) {
  // Lambda = 2 + 9 + 1 = 12, sum x r = 12 - 5 = 7.
  Ridge ridge({.actions = 1, .dim = 1}, 2.0, false);
  const double first[] = {3.0}, second[] = {-1.0}, at[] = {6.0};
  EXPECT_DOUBLE_EQ(ridge.update(first, 0, 4.0), 16.0 / (1.0 + 9.0 / 2.0));  // e^2 / (1 + x^2 / 2)
  ridge.update(second, 0, 5.0);
  EXPECT_NEAR(ridge.theta(0)[0], 7.0 / 12.0, 1e-15);
  EXPECT_NEAR(ridge.values(at)[0], 3.5, 1e-14);
  EXPECT_NEAR(ridge.forms(at)[0], 3.0, 1e-14);
  EXPECT_NEAR(ridge.precision(0)[0], 12.0, 1e-13);
  EXPECT_EQ(ridge.pulls(0), 2.0);
}

TEST(Ridge, StartsAtZeroWithThePriorsWidth) {
  Ridge ridge({.actions = 2, .dim = 3}, 4.0, false);
  const double x[] = {1.0, -2.0, 3.0};
  EXPECT_EQ(ridge.values(x)[1], 0.0);
  EXPECT_DOUBLE_EQ(ridge.forms(x)[1], 14.0 / 4.0);
}

TEST(Ridge, AnActionLearnsFromItsOwnStepsOnly) {
  Ridge ridge({.actions = 3, .dim = 2}, 1.0, false);
  const double x[] = {1.0, 2.0};
  ridge.update(x, 1, 5.0);
  EXPECT_EQ(ridge.values(x)[0], 0.0);
  EXPECT_GT(ridge.values(x)[1], 3.0);
  EXPECT_EQ(ridge.values(x)[2], 0.0);
  EXPECT_DOUBLE_EQ(ridge.forms(x)[0], 5.0);
}

TEST(Ridge, InterceptIsAFeatureThatIsAlwaysOne) {
  for (const std::size_t dim : {0U, 1U, 3U, 4U}) {
    Ridge with({.actions = 2, .dim = dim}, 1.0, true);
    Ridge without({.actions = 2, .dim = dim + 1}, 1.0, false);
    Rng rng(Stream{.seed = 3});
    for (int step = 0; step < 50; ++step) {
      auto x = normal_context(rng, dim);
      auto longer = x;
      longer.push_back(1.0);
      const auto action = static_cast<Action>(rng.below(2));
      const double reward = rng.normal();
      with.update(x, action, reward);
      without.update(longer, action, reward);
      EXPECT_EQ(with.values(x)[0], without.values(longer)[0]);
      EXPECT_EQ(with.forms(x)[1], without.forms(longer)[1]);
    }
  }
}

// Rounding errors must not accumulate. The sums of the naive regression are exact to 64 bits.
TEST(RidgeDrift, AMillionStepsInFiveDimensions) {
  constexpr std::size_t kDim = 5;
  Ridge ridge({.actions = 1, .dim = kDim}, 1.0, false);
  NaiveRidge naive(kDim, 1.0L);
  Rng rng(Stream{.seed = 1});
  for (int step = 0; step < testing::repeats(1'000'000); ++step) {
    const auto x = normal_context(rng, kDim);
    const double reward = x[0] - 0.5 * x[3] + 0.5 * rng.normal();
    ridge.update(x, 0, reward);
    naive.add(x, reward);
  }
  const auto x = normal_context(rng, kDim);
  EXPECT_LT(theta_error(ridge, 0, naive), 1e-12);
  EXPECT_LT(form_error(ridge, 0, naive, x), 1e-11);
}

TEST(RidgeDrift, AHundredThousandStepsInSixtyDimensions) {
  constexpr std::size_t kDim = 60;
  Ridge ridge({.actions = 1, .dim = kDim}, 1.0, false);
  NaiveRidge naive(kDim, 1.0L);
  Rng rng(Stream{.seed = 2});
  for (int step = 0; step < testing::repeats(100'000); ++step) {
    auto x = normal_context(rng, kDim);
    for (std::size_t i = 1; i < kDim; ++i) x[i] = 0.9 * x[i - 1] + 0.43 * x[i];  // correlated
    const double reward = x[0] - x[59] + rng.normal();
    ridge.update(x, 0, reward);
    naive.add(x, reward);
  }
  const auto x = normal_context(rng, kDim);
  EXPECT_LT(theta_error(ridge, 0, naive), 1e-11);
  EXPECT_LT(form_error(ridge, 0, naive, x), 1e-11);
  const auto precision = ridge.precision(0);
  for (std::size_t i = 0; i < precision.size(); ++i) {
    EXPECT_NEAR(precision[i] / static_cast<double>(naive.precision()[i]), 1.0, 1e-9) << i;
  }
}

TEST(RidgeDrift, FourHundredDimensions) {
  constexpr std::size_t kDim = 400;
  Ridge ridge({.actions = 1, .dim = kDim}, 1.0, false);
  NaiveRidge naive(kDim, 1.0L);
  Rng rng(Stream{.seed = 3});
  std::vector<double> x;
  for (int step = 0; step < testing::repeats(1'000); ++step) {
    x = normal_context(rng, kDim);
    const double reward = x[0] - x[399] + rng.normal();
    ridge.update(x, 0, reward);
    naive.add(x, reward);
  }
  EXPECT_LT(theta_error(ridge, 0, naive), 1e-12);
  EXPECT_LT(form_error(ridge, 0, naive, x), 1e-12);
}

// Like a data set of categories: one feature of each group is 1, so every group sums to the
// intercept and the features are collinear.
TEST(RidgeDrift, OneHotGroups) {
  constexpr std::size_t kGroups = 5, kSize = 4, kDim = kGroups * kSize;
  Ridge ridge({.actions = 1, .dim = kDim}, 20.0, true);
  NaiveRidge naive(kDim + 1, 20.0L);
  Rng rng(Stream{.seed = 4});
  std::vector<double> x(kDim + 1, 1.0);
  for (int step = 0; step < testing::repeats(200'000); ++step) {
    std::fill_n(x.begin(), kDim, 0.0);
    for (std::size_t g = 0; g < kGroups; ++g) x[g * kSize + rng.below(kSize)] = 1.0;
    const double reward = x[0] - 35.0 * x[5] + rng.normal();
    ridge.update(std::span(x).first(kDim), 0, reward);
    naive.add(x, reward);
  }
  EXPECT_LT(theta_error(ridge, 0, naive), 1e-11);
  const auto forms = ridge.forms(std::span(x).first(kDim));
  EXPECT_NEAR(forms[0] / static_cast<double>(naive.form(x)), 1.0, 1e-11);
}

// Contexts on a line, and a copy of a feature: only lambda makes the solution unique. The condition
// number is about 4e5 / lambda, which limits the digits that a double can get right.
TEST(RidgeNumerics, CollinearContexts) {
  for (const double lambda : {1.0, 1e-3, 1e-6}) {
    Ridge ridge({.actions = 1, .dim = 4}, lambda, false);
    NaiveRidge naive(4, lambda);
    Rng rng(Stream{.seed = 5});
    for (int step = 0; step < 20'000; ++step) {
      const double u = rng.normal(), v = rng.normal();
      const double x[] = {u, -3.0 * u, v, v};
      const double reward = 2.0 * u + v + 0.1 * rng.normal();
      ridge.update(x, 0, reward);
      naive.add(x, reward);
    }
    EXPECT_LT(theta_error(ridge, 0, naive), 1e-11 + 1e-12 / lambda) << lambda;
    const double seen[] = {1.0, -3.0, 1.0, 1.0}, never[] = {3.0, 1.0, 0.0, 0.0};
    EXPECT_NEAR(ridge.values(seen)[0], 3.0, 0.01);
    EXPECT_LT(form_error(ridge, 0, naive, seen), 1e-9) << lambda;
    // A direction that was never seen keeps the prior's width.
    EXPECT_NEAR(ridge.forms(never)[0] * lambda, 10.0, 1e-5);
  }
}

TEST(RidgeNumerics, ConstantAndEmptyFeatures) {
  Ridge ridge({.actions = 1, .dim = 4}, 1.0, true);
  NaiveRidge naive(5, 1.0L);
  Rng rng(Stream{.seed = 6});
  for (int step = 0; step < testing::repeats(100'000); ++step) {
    const double x[] = {1.0, 0.0, rng.normal(), 1000.0};
    const double longer[] = {x[0], x[1], x[2], x[3], 1.0};
    const double reward = 3.0 + x[2] + rng.normal();
    ridge.update(x, 0, reward);
    naive.add(longer, reward);
  }
  const double x[] = {1.0, 0.0, 2.0, 1000.0};
  EXPECT_NEAR(ridge.values(x)[0], 5.0, 0.05);
  const double longer[] = {1.0, 0.0, 2.0, 1000.0, 1.0};
  EXPECT_LT(form_error(ridge, 0, naive, longer), 1e-9);
  EXPECT_LT(theta_error(ridge, 0, naive), 1e-9);
  EXPECT_EQ(ridge.theta(0)[1], 0.0);
}

TEST(RidgeNumerics, FeaturesOfVeryDifferentSizes) {
  const double size[] = {1e-6, 1e-3, 1.0, 1e4, 1e7};
  Ridge ridge({.actions = 1, .dim = 5}, 1.0, false);
  NaiveRidge naive(5, 1.0L);
  Rng rng(Stream{.seed = 7});
  std::vector<double> x(5);
  for (int step = 0; step < 20'000; ++step) {
    double reward = rng.normal();
    for (std::size_t i = 0; i < 5; ++i) {
      const double draw = rng.normal();
      reward += draw;
      x[i] = size[i] * draw;
    }
    ridge.update(x, 0, reward);
    naive.add(x, reward);
  }
  EXPECT_NEAR(ridge.values(x)[0], static_cast<double>(naive.value(x)), 1e-9);
  EXPECT_LT(form_error(ridge, 0, naive, x), 1e-9);
}

// All features have the same size. theta scales inversely with it, so the values stay. lambda is
// negligible for huge features and dominates for tiny ones.
TEST(RidgeNumerics, HugeAndTinyContexts) {
  Rng rng(Stream{.seed = 8});
  for (const double size : {1e-150, 1e-8, 1e8, 1e14, 1e50, 1e140}) {
    Ridge ridge({.actions = 1, .dim = 3}, 1.0, false);
    std::vector<double> x(3);
    for (int step = 0; step < 2'000; ++step) {
      for (double& element : x) element = size * rng.normal();
      ridge.update(x, 0, x[0] / size - x[2] / size);
    }
    const double value = ridge.values(x)[0], form = ridge.forms(x)[0];
    EXPECT_TRUE(std::isfinite(value)) << size;
    if (size > 1.0) {
      EXPECT_NEAR(value, x[0] / size - x[2] / size, 1e-9) << size;
      EXPECT_GT(form, 0.0) << size;
      EXPECT_LT(form, 0.1) << size;
    } else {
      EXPECT_NEAR(value, 0.0, 1e-3) << size;
    }
  }
}

TEST(RidgeNumerics, HugeCollinearContextsStayFinite) {
  for (const double size : {1e10, 1e16, 1e30, 1e100}) {
    Ridge ridge({.actions = 1, .dim = 3}, 1e-6, false);
    Rng rng(Stream{.seed = 9});
    std::vector<double> x(3);
    for (int step = 0; step < 10'000; ++step) {
      const double u = size * rng.normal();
      x = {u, u / 3.0, u / 7.0};
      ridge.update(x, 0, u / size);
      ASSERT_GE(ridge.forms(x)[0], 0.0);
      ASSERT_TRUE(std::isfinite(ridge.values(x)[0])) << size;
    }
    EXPECT_NEAR(ridge.values(x)[0], x[0] / size, 1e-3 * (1.0 + std::abs(x[0] / size))) << size;
  }
}

TEST(RidgeNumerics, AStepThatWouldOverflowTeachesNothing) {
  Ridge ridge({.actions = 1, .dim = 2}, 1.0, false);
  const double good[] = {1.0, 1.0}, bad[] = {1e200, 1.0};
  ridge.update(good, 0, 2.0);
  const double before = ridge.values(good)[0];
  EXPECT_EQ(ridge.update(bad, 0, 1.0), 0.0);
  EXPECT_EQ(ridge.values(good)[0], before);
  EXPECT_EQ(ridge.pulls(0), 1.0);
}

// P stays positive definite: no form is negative, whatever the contexts were.
TEST(RidgeNumerics, FormsAreNeverNegative) {
  Rng rng(Stream{.seed = 10});
  Ridge ridge({.actions = 1, .dim = 6}, 1e-10, false);
  std::vector<double> x(6);
  for (int step = 0; step < 50'000; ++step) {
    const double size = std::pow(10.0, 12.0 * rng.uniform() - 6.0);
    for (std::size_t i = 0; i < 6; ++i) {
      x[i] = i > 0 && rng.uniform() < 0.5 ? x[i - 1] : size * rng.normal();
    }
    ASSERT_GE(ridge.forms(x)[0], 0.0);
    ridge.update(x, 0, rng.normal());
    ASSERT_LE(ridge.forms(x)[0], 1.0 + 1e-6);  // x' (Lambda + x x')^-1 x < 1
  }
}

TEST(RidgeMerge, TwoHalvesEqualTheWhole) {
  for (const bool intercept : {false, true}) {
    Ridge whole({.actions = 2, .dim = 6}, 0.5, intercept);
    Ridge first = whole, second = whole;
    Rng rng(Stream{.seed = 11});
    double first_sum = 0.0, second_sum = 0.0, whole_sum = 0.0;
    for (int step = 0; step < 400; ++step) {
      const auto x = normal_context(rng, 6);
      const double reward = x[1] + rng.normal();
      const auto action = static_cast<Action>(step < 350 ? rng.below(2) : 1);
      const double whole_square = whole.update(x, action, reward);
      const double half_square = (step % 3 == 0 ? first : second).update(x, action, reward);
      if (action == 0) continue;
      whole_sum += whole_square;
      (step % 3 == 0 ? first_sum : second_sum) += half_square;
    }
    const auto excess = first.merge(second);
    for (const Action action : {0U, 1U}) {
      EXPECT_EQ(first.pulls(action), whole.pulls(action));
      for (std::size_t i = 0; i < whole.features(); ++i) {
        EXPECT_NEAR(first.theta(action)[i], whole.theta(action)[i], 1e-12);
      }
      const auto x = normal_context(rng, 6);
      EXPECT_NEAR(first.forms(x)[action], whole.forms(x)[action], 1e-13);
    }
    EXPECT_NEAR(first_sum + second_sum + excess[1], whole_sum, 1e-9);
    // The merged one continues like the whole.
    const auto x = normal_context(rng, 6);
    first.update(x, 0, 1.0);
    whole.update(x, 0, 1.0);
    EXPECT_NEAR(first.values(x)[0], whole.values(x)[0], 1e-12);
  }
}

TEST(RidgeMerge, OneSideWithoutStepsChangesNothing) {
  Ridge learned({.actions = 2, .dim = 5}, 1.0, false), fresh = learned;
  Rng rng(Stream{.seed = 12});
  for (int step = 0; step < 100; ++step) {
    const auto context = normal_context(rng, 5);
    learned.update(context, static_cast<Action>(step % 2), rng.normal());
  }
  Ridge other = fresh, copy = learned;
  copy.merge(fresh);
  other.merge(learned);
  const auto x = normal_context(rng, 5);
  for (const Action action : {0U, 1U}) {
    EXPECT_EQ(copy.values(x)[action], learned.values(x)[action]);
    EXPECT_EQ(other.values(x)[action], learned.values(x)[action]);
    EXPECT_EQ(other.forms(x)[action], learned.forms(x)[action]);
  }
}

TEST(Ridge, RefusesSizesThatNoMachineCanHold) {
  EXPECT_THROW(Ridge({.actions = 1'000'000, .dim = 100'000}, 1.0, false), UsageError);
}

}  // namespace
}  // namespace sau
