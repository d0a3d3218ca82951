#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/problem/linear.hpp"

namespace sau::linear_problem_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int kSteps = 100'000;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<LinearProblemOptions> variants() {
  return {{},
          {.actions = 20},
          {.dim = 40},
          {.theta = LinearTheta::kNormal},
          {.errors = LinearErrors::kAr1},
          {.contexts = LinearContexts::kAr1},
          {.contexts = LinearContexts::kStudent}};
}

TEST(LinearProblem, ThetasHaveLengthOneAndDependOnTheTrialOnly) {
  for (const auto& options : variants()) {
    const LinearProblem problem(Stream{.seed = 1, .trial = 3}, options);
    const LinearProblem again(Stream{.seed = 1, .trial = 3}, options);
    const LinearProblem other(Stream{.seed = 1, .trial = 4}, options);
    for (Action a = 0; a < options.actions; ++a) {
      const auto theta = problem.theta(a);
      EXPECT_NEAR(dot(theta, theta), 1.0, 1e-14);
      EXPECT_EQ(theta, again.theta(a));
      EXPECT_NE(theta, other.theta(a));
    }
    EXPECT_NE(problem.theta(0), problem.theta(1));
  }
}

// The fourth moments tell uniform from normal elements, also after scaling to length 1:
// E sum theta_i^4 is 3 / (p + 2) for normal elements, and less for uniform ones.
TEST(LinearProblem, ThetasHaveTheRequestedDistribution) {
  const auto fourth = [](LinearTheta law) {
    double sum = 0.0;
    constexpr int kTrials = 4'000;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
      const LinearProblem problem(Stream{.seed = 2, .trial = trial}, {.theta = law});
      for (const double t : problem.theta(0)) sum += t * t * t * t;
    }
    return sum / kTrials;
  };
  EXPECT_NEAR(fourth(LinearTheta::kNormal), 3.0 / 7.0, 0.01);
  EXPECT_LT(fourth(LinearTheta::kUniform), 0.38);
}

TEST(LinearProblem, RewardIsLinearAndRegretIsInExpectation) {
  for (auto options : variants()) {
    options.noise = 0.0;
    LinearProblem problem(Stream{.seed = 3}, options);
    Rng rng(Stream{.seed = 4});
    for (int step = 0; step < 100; ++step) {
      const Context x = problem.next(rng);
      ASSERT_EQ(x.size(), options.dim);
      double best = -1e300;
      for (Action a = 0; a < options.actions; ++a) best = std::max(best, dot(problem.theta(a), x));
      const auto action = static_cast<Action>(step % 5);
      EXPECT_NEAR(problem.pull(action, rng), dot(problem.theta(action), x), 1e-13);
      EXPECT_NEAR(problem.regret(action), best - dot(problem.theta(action), x), 1e-13);
      EXPECT_GE(problem.regret(action), 0.0);
    }
  }
}

// The contexts and the errors do not depend on what is played.
TEST(LinearProblem, AllAgentsMeetTheSameProblem) {
  for (const auto& options : variants()) {
    LinearProblem one(Stream{.seed = 5}, options), other(Stream{.seed = 5}, options);
    Rng first(Stream{.seed = 6}), second(Stream{.seed = 6});
    for (int step = 0; step < 500; ++step) {
      const Context x = one.next(first), y = other.next(second);
      ASSERT_TRUE(std::ranges::equal(x, y));
      const Action played = static_cast<Action>(step % 3), elsewhere = 4;
      const double error = one.pull(played, first) - dot(one.theta(played), x);
      EXPECT_NEAR(error, other.pull(elsewhere, second) - dot(other.theta(elsewhere), y), 1e-12);
      ASSERT_EQ(first.position(), second.position());
    }
  }
}

struct Moments {
  double mean = 0.0, variance = 0.0, lag1 = 0.0, lag2 = 0.0;  // lags as correlations
};

Moments moments_of(const std::vector<double>& series) {
  const auto n = static_cast<double>(series.size());
  Moments m;
  for (const double s : series) m.mean += s / n;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double here = series[i] - m.mean;
    m.variance += here * here / n;
    if (i >= 1) m.lag1 += here * (series[i - 1] - m.mean) / n;
    if (i >= 2) m.lag2 += here * (series[i - 2] - m.mean) / n;
  }
  m.lag1 /= m.variance;
  m.lag2 /= m.variance;
  return m;
}

Moments errors_of(const LinearProblemOptions& options) {
  LinearProblem problem(Stream{.seed = 7}, options);
  Rng rng(Stream{.seed = 8});
  std::vector<double> errors;
  for (int step = 0; step < kSteps; ++step) {
    const Context x = problem.next(rng);
    const std::vector<double> copy(x.begin(), x.end());
    const auto action = static_cast<Action>(step % 5);
    errors.push_back(problem.pull(action, rng) - dot(problem.theta(action), copy));
  }
  return moments_of(errors);
}

// Standard errors at 1e5 steps: about 0.003 for a correlation, 0.002 for a variance of 0.25.
TEST(LinearProblem, ErrorsAreIndependentWithTheRequestedNoise) {
  const Moments m = errors_of({});
  EXPECT_NEAR(m.mean, 0.0, 0.007);
  EXPECT_NEAR(m.variance, 0.25, 0.006);
  EXPECT_NEAR(m.lag1, 0.0, 0.013);
}

TEST(LinearProblem, Ar1ErrorsKeepTheMarginalNoise) {
  const Moments m = errors_of({.errors = LinearErrors::kAr1});
  EXPECT_NEAR(m.mean, 0.0, 0.012);
  EXPECT_NEAR(m.variance, 0.25, 0.008);
  EXPECT_NEAR(m.lag1, 0.5, 0.012);
  EXPECT_NEAR(m.lag2, 0.25, 0.015);
}

// The first error already has the full variance: the series does not have to warm up.
TEST(LinearProblem, Ar1ErrorsStartStationary) {
  double square = 0.0;
  constexpr int kTrials = 20'000;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    LinearProblem problem(Stream{.seed = 9}, {.errors = LinearErrors::kAr1});
    Rng rng(Stream{.seed = 10, .trial = trial});
    const Context x = problem.next(rng);
    const double mean = dot(problem.theta(0), x);
    const double error = problem.pull(0, rng) - mean;
    square += error * error / kTrials;
  }
  EXPECT_NEAR(square, 0.25, 0.01);
}

// Correlations of elements 1 and 2 apart within a context, and of one element over steps.
TEST(LinearProblem, ContextsHaveTheRightCovariance) {
  for (const LinearContexts law : {LinearContexts::kNormal, LinearContexts::kAr1}) {
    LinearProblem problem(Stream{.seed = 11}, {.contexts = law});
    Rng rng(Stream{.seed = 12});
    double variance[5] = {}, near = 0.0, far = 0.0;
    std::vector<double> over_steps;
    for (int step = 0; step < kSteps; ++step) {
      const Context x = problem.next(rng);
      for (std::size_t i = 0; i < 5; ++i) variance[i] += x[i] * x[i] / kSteps;
      near += x[2] * x[3] / kSteps;
      far += x[1] * x[3] / kSteps;
      over_steps.push_back(x[4]);
      problem.pull(0, rng);
    }
    const double rho = law == LinearContexts::kAr1 ? 0.5 : 0.0;
    for (const double v : variance) EXPECT_NEAR(v, 1.0, 0.02);
    EXPECT_NEAR(near, rho, 0.015);
    EXPECT_NEAR(far, rho * rho, 0.015);
    EXPECT_NEAR(moments_of(over_steps).lag1, 0.0, 0.013);
  }
}

// F(t) = (1 + t / sqrt(2 + t^2)) / 2 without the tails beyond 5. Kolmogorov, level 1e-4.
TEST(LinearProblem, StudentContextsAreTruncatedT2) {
  LinearProblem problem(Stream{.seed = 13}, {.contexts = LinearContexts::kStudent});
  Rng rng(Stream{.seed = 14});
  std::vector<double> elements;
  for (int step = 0; step < kSteps / 5; ++step) {
    for (const double element : problem.next(rng)) elements.push_back(element);
    problem.pull(0, rng);
  }
  std::ranges::sort(elements);
  EXPECT_GE(elements.front(), -5.0);
  EXPECT_LE(elements.back(), 5.0);
  EXPECT_LT(elements.front(), -4.99);
  const double reach = 5.0 / std::sqrt(27.0);
  const auto n = static_cast<double>(elements.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double t = elements[i];
    const double f = 0.5 * (1.0 + t / std::sqrt(2.0 + t * t) / reach);
    const double below = static_cast<double>(i) / n;
    distance = std::max({distance, f - below, below + 1.0 / n - f});
  }
  EXPECT_LT(std::sqrt(n) * distance, 2.2252);
}

TEST(LinearProblem, SettingsAndHorizon) {
  const auto problem = make_problem("linear-20-5", Stream{});
  EXPECT_EQ(problem->shape(), (Shape{20, 5}));
  EXPECT_EQ(problem->default_steps(), 20'000U);
  EXPECT_EQ(make_problem("linear-5-40", Stream{})->shape(), (Shape{5, 40}));
  EXPECT_EQ(canonical_problem("linear-t2-context"), "linear(contexts=student)");
  EXPECT_EQ(problem_name("linear(errors=ar1)"), "linear-ar1-noise");
  EXPECT_THAT([] { make_problem("linear(contexts=cauchy)", Stream{}); },
              ThrowsMessage<UsageError>(HasSubstr("normal, ar1 or student")));
  EXPECT_THAT([] { make_problem("linear(rho=1)", Stream{}); },
              ThrowsMessage<UsageError>(HasSubstr("between -1 and 1")));
  EXPECT_THROW(make_problem("linear(actions=1e6,dim=1e5)", Stream{}), UsageError);
}

}  // namespace
}  // namespace sau::linear_problem_test
