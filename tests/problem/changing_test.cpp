// Worlds that change: piecewise Bernoulli problems, and any problem in phases.
#include "sau/problem/changing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/problem/piecewise.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

// The regret of every action at each of these steps, counted from 0.
std::vector<std::vector<double>> regrets_at(Problem& problem,
                                            const std::vector<std::uint64_t>& steps) {
  Rng rng({.seed = 3});
  std::vector<std::vector<double>> result;
  for (std::uint64_t n = 0; n <= steps.back(); ++n) {
    problem.next(rng);
    if (std::ranges::find(steps, n) == steps.end()) continue;
    std::vector<double> regret;
    for (Action a = 0; a < problem.shape().actions; ++a) regret.push_back(problem.regret(a));
    result.push_back(regret);
  }
  return result;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

TEST(Piecewise, RegretIsAgainstTheBestActionOfTheStep) {
  const auto problem = make_problem("changing-1", Stream{});
  EXPECT_EQ(problem->default_steps(), 5000U);
  EXPECT_EQ(problem->shape().actions, 3U);
  const auto regrets = regrets_at(*problem, {0, 999, 1000, 2000, 3000, 4999});
  expect_near(regrets[0], {0.6, 0.4, 0.0});
  expect_near(regrets[1], {0.6, 0.4, 0.0});
  expect_near(regrets[2], {0.6, 0.7, 0.0});
  expect_near(regrets[3], {0.0, 0.1, 0.2});
  expect_near(regrets[4], {0.0, 0.5, 0.6});
  expect_near(regrets[5], {0.0, 0.2, 0.6});
}

TEST(Piecewise, PaysByTheChancesOfThePhase) {
  Piecewise problem(Stream{}, {.means = {0.2, 0.9}, .changes = {5000.0}});
  Rng rng({.seed = 8});
  double first = 0.0, second = 0.0;
  for (int n = 0; n < 10'000; ++n) {
    problem.next(rng);
    (n < 5000 ? first : second) += problem.pull(0, rng);
  }
  EXPECT_NEAR(first / 5000, 0.2, 5.0 * std::sqrt(0.16 / 5000));
  EXPECT_NEAR(second / 5000, 0.9, 5.0 * std::sqrt(0.09 / 5000));
  EXPECT_EQ(rng.position(), 10'000U) << "one word per step";
}

TEST(Piecewise, SlowChangesAreStraightLines) {
  Piecewise problem(Stream{}, {.means = {0.2, 0.6, 0.6, 0.4}, .changes = {100.0}, .over = 50});
  const auto regrets = regrets_at(problem, {99, 100, 125, 150});
  expect_near(regrets[0], {0.4, 0.0});
  expect_near(regrets[1], {0.4, 0.0});
  expect_near(regrets[2], {0.1, 0.0});  // 0.4 against 0.5
  expect_near(regrets[3], {0.0, 0.2});
}

TEST(Piecewise, SeasonsComeAgain) {
  Piecewise problem(
      Stream{}, {.means = {0.2, 0.6, 0.6, 0.4}, .changes = {100.0}, .steps = 150, .repeat = true});
  const auto regrets = regrets_at(problem, {149, 150, 249, 250, 300});
  expect_near(regrets[0], {0.0, 0.2});
  expect_near(regrets[1], {0.4, 0.0});
  expect_near(regrets[2], {0.4, 0.0});
  expect_near(regrets[3], {0.0, 0.2});
  expect_near(regrets[4], {0.4, 0.0});
}

TEST(Piecewise, SettingsThatMakeNoSenseAreRefused) {
  const auto refused = [](const char* spec) {
    return error_of<UsageError>([&] { make_problem(spec, Stream{}); });
  };
  EXPECT_EQ(refused("piecewise(means=0.1x0.2x0.3)"),
            "piecewise: means has 3 numbers, expected as many for each of 2 phases");
  EXPECT_THAT(refused("piecewise(changes=20x10,means=0.1x0.2x0.3)"), HasSubstr("in rising order"));
  EXPECT_THAT(refused("piecewise(steps=1000)"), HasSubstr("more than the last change, 1000"));
}

// A trial of the problem as it is, beside one that changes, on the same streams.
TEST(Changing, TheFirstPhaseIsTheProblemItselfAndLaterOnesArePermuted) {
  const Stream stream{.seed = 5};
  Changing changing(stream, {.problem = "linear(actions=4)", .every = 100});
  const auto plain = make_problem("linear(actions=4)", stream);
  Rng one(stream), two(stream);
  std::vector<std::vector<Action>> orders;
  for (int n = 0; n < 400; ++n) {
    const Context x = changing.next(one), y = plain->next(two);
    ASSERT_TRUE(std::ranges::equal(x, y));
    std::vector<Action> order;  // the plain action that pays what action a pays
    for (Action a = 0; a < 4; ++a) {
      for (Action b = 0; b < 4; ++b) {
        if (changing.regret(a) == plain->regret(b)) order.push_back(b);
      }
    }
    ASSERT_EQ(order.size(), 4U);
    EXPECT_EQ(changing.pull(1, one), plain->pull(order[1], two));
    if (n % 100 == 0) orders.push_back(order);
    EXPECT_EQ(order, orders.back()) << n;
  }
  EXPECT_EQ(orders[0], (std::vector<Action>{0, 1, 2, 3}));
  EXPECT_TRUE(orders[1] != orders[0] || orders[2] != orders[0]);
}

TEST(Changing, SeasonsRepeatAndTrialsDiffer) {
  const auto actions_at = [](std::uint64_t trial, int step) {
    Changing problem(
        {.seed = 5, .trial = trial},
        {.problem = "bernoulli(means=0.1x0.2x0.3x0.4x0.5x0.6)", .every = 10, .seasons = 2});
    Rng rng({.seed = 1});
    for (int n = 0; n <= step; ++n) problem.next(rng);
    std::vector<double> regret;
    for (Action a = 0; a < 6; ++a) regret.push_back(problem.regret(a));
    return regret;
  };
  EXPECT_EQ(actions_at(1, 5), actions_at(1, 25));
  EXPECT_EQ(actions_at(1, 15), actions_at(1, 39));
  EXPECT_NE(actions_at(1, 5), actions_at(1, 15));
  EXPECT_NE(actions_at(1, 15), actions_at(2, 15));
}

// In the middle of a slow change half of the steps belong to the new phase.
TEST(Changing, SlowChangesMixTheTwoPhases) {
  int changed = 0;
  constexpr int kTrials = 2000;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Changing problem({.seed = 5, .trial = trial},
                     {.problem = "bernoulli(means=0.1x0.9)", .every = 20, .over = 10});
    Rng rng({.seed = 1});
    for (int n = 0; n <= 25; ++n) problem.next(rng);
    changed += problem.regret(1) > 0.0 ? 1 : 0;
  }
  // A permutation of two actions changes something in half of the trials.
  EXPECT_NEAR(changed, kTrials / 4, 5.0 * std::sqrt(kTrials * 0.25 * 0.75));
}

TEST(Changing, ColumnsArePermutedAndRewardsStay) {
  const Stream stream{.seed = 6};
  Changing changing(stream, {.problem = "linear", .every = 50, .what = ChangeOf::kColumns});
  const auto plain = make_problem("linear", stream);
  Rng one(stream), two(stream);
  bool moved = false;
  for (int n = 0; n < 200; ++n) {
    const Context seen = changing.next(one), own = plain->next(two);
    std::vector<double> x(seen.begin(), seen.end()), y(own.begin(), own.end());
    moved = moved || x != y;
    if (n < 50) {
      EXPECT_EQ(x, y);
    }
    std::ranges::sort(x);
    std::ranges::sort(y);
    EXPECT_EQ(x, y);
    EXPECT_EQ(changing.regret(2), plain->regret(2));
    EXPECT_EQ(changing.pull(2, one), plain->pull(2, two));
  }
  EXPECT_TRUE(moved);
}

// Contexts are N(0, I): far from it after the change, while the best action of a context stays.
TEST(Changing, OtherContextsCome) {
  Changing problem({.seed = 6}, {.problem = "linear", .every = 3000, .what = ChangeOf::kContexts});
  Rng rng({.seed = 2});
  std::vector<double> before(5), after(5);
  for (int n = 0; n < 6000; ++n) {
    const Context x = problem.next(rng);
    for (std::size_t i = 0; i < 5; ++i) (n < 3000 ? before : after)[i] += x[i] / 3000.0;
  }
  double length = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(before[i], 0.0, 5.0 / std::sqrt(3000.0));
    length += after[i] * after[i];
  }
  // Nine tenths of a half-space: the mean is about 0.8 sqrt(2 / pi) away from 0.
  EXPECT_GT(std::sqrt(length), 0.5);
}

TEST(Changing, SettingsThatMakeNoSenseAreRefused) {
  const auto refused = [](const char* spec) {
    return error_of<UsageError>([&] { make_problem(spec, Stream{}); });
  };
  EXPECT_THAT(refused("changing(problem=changing)"), HasSubstr("neither changes nor pays late"));
  EXPECT_THAT(refused("changing(problem=bernoulli,what=columns)"), HasSubstr("needs contexts"));
  EXPECT_THAT(refused("changing(over=3000)"), HasSubstr("expected at most every, 2000"));
  EXPECT_THAT(refused("changing(problem=clicks)"), HasSubstr("come and go by id"));
}

}  // namespace
}  // namespace sau
