#include "sau/model/linear_posterior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "model/naive_ridge.hpp"
#include "sau/explore/explorer.hpp"
#include "sau/explore/thompson.hpp"
#include "sau/model/value_model.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::NaiveRidge;
using testing::setup_of;

static_assert(PosteriorModel<LinearPosterior> && WidthModel<LinearPosterior>);
static_assert(Mergeable<LinearPosterior>);

std::vector<double> learn_some(LinearPosterior& model, std::size_t dim, int steps) {
  Rng rng(Stream{.seed = 21});
  std::vector<double> x(dim);
  for (int step = 0; step < steps; ++step) {
    for (double& element : x) element = rng.normal();
    model.update(x, static_cast<Action>(step % 3), x[0] + 0.5 * rng.normal());
  }
  return x;
}

TEST(LinearPosterior, MatchesTheHandCalculation) {
  LinearPosterior model(setup_of(2, 1), {.lambda = 0.25, .a0 = 6.0, .b0 = 6.0});
  const double x[] = {2.0};
  model.update(x, 0, 3.0);
  // Lambda = 4.25, theta = 6 / 4.25, b = 6 + (9 - 36 / 4.25) / 2.
  EXPECT_DOUBLE_EQ(model.a_of(0), 6.5);
  EXPECT_NEAR(model.b_of(0), 6.0 + (9.0 - 36.0 / 4.25) / 2.0, 1e-14);
  EXPECT_NEAR(model.values(x)[0], 12.0 / 4.25, 1e-15);
  const auto marginals = model.marginals(x);
  EXPECT_NEAR(marginals[0].mean, 12.0 / 4.25, 1e-15);
  EXPECT_DOUBLE_EQ(marginals[0].dof, 13.0);
  EXPECT_NEAR(marginals[0].scale, std::sqrt(model.b_of(0) / 6.5 * 4.0 / 4.25), 1e-15);
  EXPECT_DOUBLE_EQ(marginals[1].dof, 12.0);
  EXPECT_DOUBLE_EQ(marginals[1].scale, 4.0);  // sqrt(6 / 6 * 4 / 0.25)
}

TEST(LinearPosterior, MatchesTheFormulaAfterEveryStep) {
  for (const Covariance covariance : {Covariance::kFull, Covariance::kDiagonal}) {
    for (const std::size_t dim : {1U, 3U, 5U, 12U}) {
      LinearPosterior model(setup_of(2, dim),
                            {.covariance = covariance, .lambda = 0.3, .a0 = 2.0, .b0 = 5.0});
      std::vector<NaiveRidge> naive(2, NaiveRidge(dim, 0.3L));
      Rng rng(Stream{.seed = dim});
      std::vector<double> x(dim);
      for (int step = 0; step < 200; ++step) {
        for (double& element : x) element = rng.normal();
        const auto action = static_cast<Action>(rng.below(2));
        const double reward = 3.0 + x[0] + rng.normal();
        model.update(x, action, reward);
        naive[action].add(x, reward);
        const auto a = static_cast<double>(2.0L + naive[action].count() / 2.0L);
        const auto b = static_cast<double>(5.0L + naive[action].square() / 2.0L);
        const long double form = covariance == Covariance::kFull ? naive[action].form(x)
                                                                 : naive[action].diagonal_form(x);
        const auto scale = std::sqrt(b / a * static_cast<double>(form));
        const StudentMarginal marginal = model.marginals(x)[action];
        ASSERT_NEAR(model.b_of(action), b, 1e-11 * b);
        ASSERT_NEAR(marginal.mean, static_cast<double>(naive[action].value(x)), 1e-11);
        ASSERT_NEAR(marginal.scale, scale, 1e-11 * scale);
        ASSERT_EQ(marginal.dof, 2.0 * a);
        ASSERT_NEAR(model.widths(x)[action], std::sqrt(static_cast<double>(form)), 1e-11);
      }
    }
  }
}

// b is a sum of squares: a perfect fit of huge rewards must not make it negative.
TEST(LinearPosterior, ScaleDoesNotCancel) {
  LinearPosterior model(setup_of(1, 2), {.b0 = 1e-3});
  Rng rng(Stream{.seed = 1});
  double x[2];
  for (int step = 0; step < 10'000; ++step) {
    for (double& element : x) element = rng.normal();
    model.update(x, 0, 1e9 * x[0]);
    ASSERT_GE(model.b_of(0), 1e-3);
  }
  EXPECT_TRUE(std::isfinite(model.sample(x, rng)[0]));
}

TEST(LinearPosterior, HugeRewardsStayFinite) {
  LinearPosterior model(setup_of(2, 2));
  const double x[] = {1.0, -1.0};
  for (int step = 0; step < 10; ++step) model.update(x, 0, step % 2 == 0 ? 1e200 : -1e200);
  std::vector<double> probability(2);
  argmax_probabilities(model.marginals(x), probability);
  EXPECT_NEAR(probability[0] + probability[1], 1.0, 1e-9);
}

// sqrt(n) D of 20000 draws against Student's t. It exceeds 2.2252 with probability 1e-4 (Kolmogorov
// 1933), and there are eight cases. Seeds are fixed.
TEST(LinearPosterior, DrawsHaveTheirMarginals) {
  constexpr std::size_t kDraws = 20'000;
  for (const Covariance covariance : {Covariance::kFull, Covariance::kDiagonal}) {
    for (const double a0 : {0.5, 6.0}) {
      for (const int steps : {0, 60}) {
        LinearPosterior model(setup_of(3, 4), {.covariance = covariance, .a0 = a0});
        std::vector<double> x = learn_some(model, 4, steps);
        if (steps == 0) x.assign(4, 0.3);
        const StudentMarginal law = model.marginals(x)[1];
        Rng rng(Stream{.seed = 77});
        std::vector<double> draws;
        for (std::size_t i = 0; i < kDraws; ++i) draws.push_back(model.sample(x, rng)[1]);
        std::sort(draws.begin(), draws.end());
        double distance = 0.0;
        const boost::math::students_t student(law.dof);
        for (std::size_t i = 0; i < kDraws; ++i) {
          const double f = boost::math::cdf(student, (draws[i] - law.mean) / law.scale);
          const double below = static_cast<double>(i) / kDraws;
          distance = std::max({distance, f - below, below + 1.0 / kDraws - f});
        }
        EXPECT_LT(std::sqrt(static_cast<double>(kDraws)) * distance, 2.2252) << a0 << " " << steps;
      }
    }
  }
}

// The probabilities agree with 100000 choices within 4.5 standard errors.
TEST(LinearPosterior, ThompsonsProbabilitiesMatchItsFrequencies) {
  for (const Covariance covariance : {Covariance::kFull, Covariance::kDiagonal}) {
    LinearPosterior model(setup_of(3, 4), {.covariance = covariance});
    const std::vector<double> x = learn_some(model, 4, 30);
    Explorer<Thompson> thompson(setup_of(3, 4));
    std::vector<double> probability(3), count(3);
    thompson.probabilities(model, x, probability);
    Rng rng(Stream{.seed = 5});
    constexpr double kChoices = 100'000.0;
    for (int i = 0; i < static_cast<int>(kChoices); ++i) {
      count[thompson.choose(model, x, rng).action] += 1.0;
    }
    for (std::size_t a = 0; a < 3; ++a) {
      const double error = std::sqrt(probability[a] * (1.0 - probability[a]) / kChoices);
      EXPECT_NEAR(count[a] / kChoices, probability[a], 4.5 * error) << a;
    }
  }
}

TEST(LinearPosterior, DiagonalKeepsTheMean) {
  LinearPosterior full(setup_of(3, 5));
  LinearPosterior diagonal(setup_of(3, 5), {.covariance = Covariance::kDiagonal});
  learn_some(full, 5, 90);
  const auto x = learn_some(diagonal, 5, 90);
  for (Action a = 0; a < 3; ++a) {
    EXPECT_EQ(full.values(x)[a], diagonal.values(x)[a]);
    EXPECT_EQ(full.b_of(a), diagonal.b_of(a));
    EXPECT_NE(full.marginals(x)[a].scale, diagonal.marginals(x)[a].scale);
  }
}

TEST(LinearPosterior, MergedHalvesEqualTheWhole) {
  for (const Covariance covariance : {Covariance::kFull, Covariance::kDiagonal}) {
    LinearPosterior whole(setup_of(1, 3), {.covariance = covariance, .intercept = true});
    LinearPosterior first = whole, second = whole;
    Rng rng(Stream{.seed = 6});
    double x[3];
    for (int step = 0; step < 200; ++step) {
      for (double& element : x) element = rng.normal();
      const double reward = 2.0 + x[0] + rng.normal();
      whole.update(x, 0, reward);
      (step % 4 == 0 ? first : second).update(x, 0, reward);
    }
    first.merge(second);
    EXPECT_DOUBLE_EQ(first.a_of(0), whole.a_of(0));
    EXPECT_NEAR(first.b_of(0), whole.b_of(0), 1e-10);
    EXPECT_NEAR(first.marginals(x)[0].scale, whole.marginals(x)[0].scale, 1e-12);
    EXPECT_NEAR(first.marginals(x)[0].mean, whole.marginals(x)[0].mean, 1e-12);
  }
}

}  // namespace
}  // namespace sau
