#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sau/explore/epsilon_greedy.hpp"
#include "sau/explore/explorer.hpp"
#include "sau/explore/greedy.hpp"
#include "sau/explore/thompson.hpp"
#include "sau/explore/ucb1.hpp"
#include "sau/explore/uniform.hpp"
#include "sau/model/beta_bernoulli.hpp"
#include "sau/model/sample_mean.hpp"
#include "support/errors.hpp"
#include "support/fixed_values.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;
using testing::FixedDraws;
using testing::FixedValues;

static_assert(!Explores<Thompson, SampleMean> && Explores<Thompson, BetaBernoulli>);

// n_0 = 4, n_1 = 1, n = 6:  mu_0 + sqrt(2 ln 6 / 4)  equals  mu_1 + sqrt(2 ln 6).
TEST(Ucb1, ChoiceChangesWhereTheIndicesAreEqual) {
  const double lead = std::sqrt(2.0 * std::log(6.0)) - std::sqrt(2.0 * std::log(6.0) / 4.0);
  for (const double off : {-1e-9, 1e-9}) {
    Explorer<Ucb1> ucb(actions(2));
    FixedValues model({lead + off, 0.0});
    Rng rng({.seed = 1});
    for (int n = 1; n < 6; ++n) ucb.choose(model, {}, rng);
    for (int i = 0; i < 4; ++i) ucb.observe(0, 123.0);  // residuals do not matter
    ucb.observe(1, 0.0);
    EXPECT_EQ(ucb.choose(model, {}, rng).action, off > 0.0 ? 0U : 1U);
    EXPECT_EQ(rng.position(), 0U);
  }
}

TEST(Ucb1, AlphaScalesTheBonus) {
  // n = 3 and n_0 = 4, n_1 = 1: the lead is alpha sqrt(2 ln 3) (1 - 1 / 2).
  const double lead = 3.0 * std::sqrt(2.0 * std::log(3.0)) * 0.5;
  for (const double off : {-1e-9, 1e-9}) {
    Explorer<Ucb1> ucb(actions(2), {.alpha = 3.0});
    FixedValues model({lead + off, 0.0});
    Rng rng({.seed = 1});
    ucb.choose(model, {}, rng);
    ucb.choose(model, {}, rng);
    for (int i = 0; i < 4; ++i) ucb.observe(0, 0.0);
    ucb.observe(1, 0.0);
    EXPECT_EQ(ucb.choose(model, {}, rng).action, off > 0.0 ? 0U : 1U);
  }
}

TEST(Ucb1, OpensInOrderThenPlaysTheLowestActionStillWaiting) {
  Explorer<Ucb1> ucb(actions(3));
  FixedValues model({100.0, 0.0, 0.0});
  Rng rng({.seed = 1});
  for (Action a = 0; a < 3; ++a) EXPECT_EQ(ucb.choose(model, {}, rng).action, a);
  ucb.observe(0, 0.0);
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 1U);
  ucb.observe(1, 0.0);
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 2U);
  ucb.observe(2, 0.0);
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 0U);
}

TEST(Greedy, PlaysTheLargestValueAndTheLowestOfEquals) {
  Explorer<Greedy> greedy(actions(3));
  Rng rng({.seed = 1});
  FixedValues model({-2.0, -1.0, -1.0});
  const Choice made = greedy.choose(model, {}, rng);
  EXPECT_EQ(made.action, 1U);
  EXPECT_EQ(made.value, -1.0);
  EXPECT_EQ(rng.position(), 0U);
}

TEST(Uniform, EveryActionIsAsLikely) {
  Explorer<Uniform> uniform(actions(5));
  FixedValues model({9.0, 0.0, 0.0, 0.0, 0.0});
  Rng rng({.seed = 4});
  const int draws = 100'000;
  std::vector<int> count(5);
  for (int n = 0; n < draws; ++n) {
    const Choice made = uniform.choose(model, {}, rng);
    EXPECT_EQ(made.value, model[made.action]);
    ++count[made.action];
  }
  for (const int c : count) {
    EXPECT_NEAR(static_cast<double>(c) / draws, 0.2, 5.0 * std::sqrt(0.16 / draws));
  }
}

// eps_n = max(floor, epsilon * decay^(n-1)); the chance of the other action is eps_n / 2.
TEST(EpsilonGreedy, EpsilonIsAnnealedDownToTheFloor) {
  Explorer<EpsilonGreedy> strategy(actions(2), {.epsilon = 0.8, .decay = 0.9, .floor = 0.05});
  FixedValues model({1.0, 0.0});
  Rng rng({.seed = 1});
  std::vector<double> chance(2);
  for (int n = 1; n <= 60; ++n) {
    strategy.probabilities(model, {}, chance);
    const double epsilon = std::max(0.05, 0.8 * std::pow(0.9, n - 1));
    EXPECT_NEAR(chance[1], epsilon / 2.0, 1e-14) << n;
    EXPECT_NEAR(chance[0], 1.0 - epsilon / 2.0, 1e-14) << n;
    strategy.choose(model, {}, rng);
  }
}

TEST(EpsilonGreedy, FrequencyFollowsEpsilon) {
  Explorer<EpsilonGreedy> strategy(actions(4), {.epsilon = 0.2});
  FixedValues model({0.0, 0.0, 1.0, 0.0});
  Rng rng({.seed = 5});
  const int draws = 100'000;
  std::vector<int> count(4);
  for (int n = 0; n < draws; ++n) ++count[strategy.choose(model, {}, rng).action];
  for (std::size_t a = 0; a < 4; ++a) {
    const double p = a == 2 ? 0.85 : 0.05;  // 0.8 + 0.2 / 4
    EXPECT_NEAR(static_cast<double>(count[a]) / draws, p, 5.0 * std::sqrt(p * (1 - p) / draws));
  }
}

TEST(EpsilonGreedy, ZeroIsGreedyAndOneIsUniform) {
  FixedValues model({0.0, 1.0});
  Rng rng({.seed = 5});
  Explorer<EpsilonGreedy> greedy(actions(2), {.epsilon = 0.0});
  for (int n = 0; n < 100; ++n) EXPECT_EQ(greedy.choose(model, {}, rng).action, 1U);
  const Explorer<EpsilonGreedy> uniform(actions(2), {.epsilon = 1.0});
  std::vector<double> chance(2);
  uniform.probabilities(model, {}, chance);
  EXPECT_EQ(chance[0], 0.5);
}

TEST(EpsilonGreedy, MergedAgentsAddTheirSteps) {
  const EpsilonGreedyOptions options{.epsilon = 0.5, .decay = 0.97, .floor = 0.01};
  Explorer<EpsilonGreedy> whole(actions(2), options), left(actions(2), options),
      right(actions(2), options);
  FixedValues model({1.0, 0.0});
  Rng rng({.seed = 5});
  for (int n = 0; n < 50; ++n) {
    whole.choose(model, {}, rng);
    (n % 3 == 0 ? left : right).choose(model, {}, rng);
  }
  left.merge(right);
  std::vector<double> merged(2), expected(2);
  left.probabilities(model, {}, merged);
  whole.probabilities(model, {}, expected);
  EXPECT_NEAR(merged[1], expected[1], 1e-14);
}

TEST(EpsilonGreedy, AFloorAboveEpsilonIsRefused) {
  const std::string error = testing::error_of<UsageError>([] {
    read_options<EpsilonGreedyOptions>("epsilon_greedy", {{"floor", "0.2"}, {"epsilon", "0.1"}});
  });
  EXPECT_EQ(error, "epsilon_greedy: floor=0.2 is not allowed; expected at most epsilon, 0.1");
}

TEST(Thompson, PlaysTheLargestDrawAndReportsTheMean) {
  Explorer<Thompson> thompson(actions(3));
  FixedDraws model({0.9, 0.1, 0.2}, {0.3, 0.4, 0.8});
  Rng rng({.seed = 1});
  const Choice made = thompson.choose(model, {}, rng);
  EXPECT_EQ(made.action, 2U);
  EXPECT_EQ(made.value, 0.2);
  std::vector<double> chance(3);
  thompson.probabilities(model, {}, chance);
  EXPECT_EQ(chance, (std::vector<double>{0.0, 0.0, 1.0}));
}

// Beta(2, 1) against Beta(1, 1): P(X > Y) = E[X] = 2 / 3.
TEST(Thompson, FrequencyMatchesTheBetaDraws) {
  BetaBernoulli model(actions(2));
  model.update({}, 1, 1.0);
  Explorer<Thompson> thompson(actions(2));
  std::vector<double> chance(2);
  thompson.probabilities(model, {}, chance);
  EXPECT_NEAR(chance[1], 2.0 / 3.0, 1e-9);
  Rng rng({.seed = 9});
  const int draws = 100'000;
  int ones = 0;
  for (int n = 0; n < draws; ++n) ones += thompson.choose(model, {}, rng).action == 1 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(ones) / draws, 2.0 / 3.0, 5.0 * std::sqrt(2.0 / 9.0 / draws));
}

// The strategy plays two rounds in order, whatever the values, and the chances agree.
template <class S, class M>
void expect_opening(S strategy, M model) {
  Rng rng({.seed = 1});
  std::vector<double> chance(3);
  for (const Action expected : {0U, 1U, 2U, 0U, 1U, 2U}) {
    strategy.probabilities(model, {}, chance);
    EXPECT_EQ(chance[expected], 1.0);
    EXPECT_EQ(strategy.choose(model, {}, rng).action, expected);
  }
  EXPECT_EQ(rng.position(), 0U);
  strategy.probabilities(model, {}, chance);
  EXPECT_LT(*std::ranges::max_element(chance), 1.0);
}

TEST(EpsilonGreedy, InitialPullsPlayEveryActionInTurn) {
  expect_opening(Explorer<EpsilonGreedy>(actions(3), {.epsilon = 0.5, .initial_pulls = 2}),
                 FixedValues({0.0, 1.0, 0.0}));
}

TEST(EpsilonGreedy, EpsilonDecaysDuringTheOpeningToo) {
  Explorer<EpsilonGreedy> strategy(actions(2), {.epsilon = 0.8, .decay = 0.5, .initial_pulls = 1});
  FixedValues model({0.0, 1.0});
  Rng rng({.seed = 1});
  strategy.choose(model, {}, rng);
  strategy.choose(model, {}, rng);
  std::vector<double> chance(2);
  strategy.probabilities(model, {}, chance);
  EXPECT_DOUBLE_EQ(chance[0], 0.5 * 0.8 * 0.25);
}

TEST(Thompson, InitialPullsPlayEveryActionInTurn) {
  expect_opening(Explorer<Thompson>(actions(3), {.initial_pulls = 2}), BetaBernoulli(actions(3)));
}

}  // namespace
}  // namespace sau
