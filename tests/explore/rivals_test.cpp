// The strategies of others: softmax, SquareCB, EXP3 and KL-UCB, each against its formula.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/draw.hpp"
#include "sau/explore/exp3.hpp"
#include "sau/explore/explorer.hpp"
#include "sau/explore/kl_ucb.hpp"
#include "sau/explore/softmax.hpp"
#include "sau/explore/squarecb.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/sample_mean.hpp"
#include "support/errors.hpp"
#include "support/fixed_values.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FixedValues;

static_assert(Explores<Exp3, SampleMean> && !Explores<Exp3, Linear>);

// exp(ln 3) is 3, so the chances are 1 : 3 : 1.
TEST(Softmax, ChancesAreProportionalToTheExponential) {
  Explorer<Softmax> softmax(actions(3), {.temperature = 0.5});
  FixedValues model({0.2, 0.2 + 0.5 * std::log(3.0), 0.2});
  std::vector<double> chance(3);
  softmax.probabilities(model, {}, chance);
  EXPECT_THAT(chance,
              ElementsAre(DoubleNear(0.2, 1e-15), DoubleNear(0.6, 1e-15), DoubleNear(0.2, 1e-15)));
}

TEST(Softmax, DrawsByItsChances) {
  Explorer<Softmax> softmax(actions(2), {.temperature = 1.0});
  FixedValues model({0.0, std::log(3.0)});
  Rng rng({.seed = 1});
  int second = 0;
  for (int n = 0; n < 10'000; ++n) second += softmax.choose(model, {}, rng).action == 1 ? 1 : 0;
  EXPECT_NEAR(second, 7500, 200);  // 4.6 standard deviations
}

TEST(Softmax, HugeValuesDoNotOverflow) {
  Explorer<Softmax> softmax(actions(2));
  FixedValues model({1e300, -1e300});
  std::vector<double> chance(2);
  softmax.probabilities(model, {}, chance);
  EXPECT_THAT(chance, ElementsAre(1.0, 0.0));
}

// Ten chances of 0.1 add up to less than 1, and the largest number that can be drawn is not below
// that sum. Even then the eleventh action, which has probability 0, is not played.
TEST(Softmax, RoundingNeverPlaysAnActionOfProbabilityZero) {
  Explorer<Softmax> softmax(actions(11));
  FixedValues model({0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -100.0});
  std::vector<double> chance(11);
  softmax.probabilities(model, {}, chance);
  EXPECT_EQ(chance[10], 0.0);
  double sum = 0.0;
  for (const double p : chance) sum += p;
  const double largest = std::nextafter(1.0, 0.0);
  ASSERT_GE(largest, sum);
  EXPECT_EQ(draw_from(chance, largest), 9U);
}

// Gaps 0.5, 0 and 0.2. At step 4, gamma = 10 * 4^0.5 = 20: chances 1 / 13, the rest and 1 / 7.
TEST(SquareCb, ChancesAreInverseGaps) {
  Explorer<SquareCb> squarecb(actions(3));
  FixedValues model({0.1, 0.6, 0.4});
  Rng rng({.seed = 1});
  std::vector<double> chance(3);
  squarecb.probabilities(model, {}, chance);  // gamma = 10
  EXPECT_THAT(chance, ElementsAre(DoubleNear(1.0 / 8.0, 1e-15), DoubleNear(0.675, 1e-15),
                                  DoubleNear(1.0 / 5.0, 1e-15)));
  for (int n = 1; n < 4; ++n) squarecb.choose(model, {}, rng);
  squarecb.probabilities(model, {}, chance);
  EXPECT_THAT(chance, ElementsAre(DoubleNear(1.0 / 13.0, 1e-15), DoubleNear(71.0 / 91.0, 1e-15),
                                  DoubleNear(1.0 / 7.0, 1e-15)));
}

TEST(SquareCb, SettingsAreVowpalWabbitsSchedule) {
  Explorer<SquareCb> squarecb(actions(2), {.gamma_scale = 3.0, .exponent = 1.0});
  FixedValues model({1.0, 0.0});
  Rng rng({.seed = 1});
  std::vector<double> chance(2);
  for (int n = 1; n <= 50; ++n) {
    squarecb.probabilities(model, {}, chance);
    EXPECT_DOUBLE_EQ(chance[1], 1.0 / (2.0 + 3.0 * n));
    squarecb.choose(model, {}, rng);
  }
}

TEST(SquareCb, EqualValuesHaveEqualChancesAndHugeGapsNone) {
  Explorer<SquareCb> squarecb(actions(2));
  std::vector<double> chance(2);
  FixedValues equal({0.3, 0.3}), far({-1e308, 1e308});
  squarecb.probabilities(equal, {}, chance);
  EXPECT_THAT(chance, ElementsAre(0.5, 0.5));
  squarecb.probabilities(far, {}, chance);
  EXPECT_THAT(chance, ElementsAre(0.0, 1.0));
}

// Two actions. Action 0 pays 0.2: its loss is 0.8 / 0.5 = 1.6. Then n = 2 and
// eta = sqrt(ln 2 / 4), so the chances are exp(-1.6 eta) : 1. Next action 1 pays 0.5.
TEST(Exp3, ChancesFollowTheEstimatedLosses) {
  Explorer<Exp3> exp3(actions(2));
  FixedValues model({0.0, 0.0});
  std::vector<double> chance(2);
  exp3.probabilities(model, {}, chance);
  EXPECT_THAT(chance, ElementsAre(0.5, 0.5));
  exp3.learn({.action = 0, .value = 0.0}, 0.2);
  exp3.probabilities(model, {}, chance);
  const double first = std::exp(-1.6 * std::sqrt(std::log(2.0) / 4.0));
  const double p = first / (1.0 + first);
  EXPECT_NEAR(chance[0], p, 1e-15);
  exp3.learn({.action = 1, .value = 0.0}, 0.5);
  const double eta = std::sqrt(std::log(2.0) / 6.0);
  const double zero = std::exp(-1.6 * eta), one = std::exp(-0.5 / (1.0 - p) * eta);
  exp3.probabilities(model, {}, chance);
  EXPECT_NEAR(chance[0], zero / (zero + one), 1e-15);
}

TEST(Exp3, OneActionIsAlwaysPlayed) {
  Explorer<Exp3> exp3(actions(1));
  FixedValues model({0.0});
  std::vector<double> chance(1);
  for (int n = 0; n < 3; ++n) {
    exp3.probabilities(model, {}, chance);
    EXPECT_EQ(chance[0], 1.0);
    exp3.learn({}, 0.25);
  }
}

// The bound of theorem 3.1 is 2 sqrt(n K ln K) for any rewards. Here they are chosen against it:
// the action that it prefers pays nothing.
TEST(Exp3, KeepsItsBoundAgainstAnAdversary) {
  constexpr int kRounds = 4000;
  Agent agent{SampleMean(actions(3)), Exp3(actions(3))};
  Rng rng({.seed = 6, .role = Role::kAgent});
  std::vector<double> chance(3), total(3);
  double won = 0.0;
  for (int n = 0; n < kRounds; ++n) {
    agent.probabilities({}, chance);
    const auto favourite = std::ranges::max_element(chance) - chance.begin();
    const Choice made = agent.choose({}, rng);
    for (int a = 0; a < 3; ++a) total[static_cast<std::size_t>(a)] += a == favourite ? 0.0 : 1.0;
    const double reward = made.action == static_cast<Action>(favourite) ? 0.0 : 1.0;
    won += reward;
    agent.learn({}, made, reward);
  }
  EXPECT_LT(*std::ranges::max_element(total) - won, 2.0 * std::sqrt(kRounds * 3.0 * std::log(3.0)));
}

TEST(Exp3, NeedsAModelWithoutContexts) {
  EXPECT_EQ(error_of<UsageError>([] { make_agent("linear+exp3", testing::setup_of(2, 1)); }),
            "exp3 needs a model that ignores contexts; linear is not one");
}

// By bisection.
double slow_bound(double p, double d) {
  double low = p, high = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (bernoulli_kl(p, middle) <= d ? low : high) = middle;
  }
  return low;
}

TEST(KlUcb, TheBoundIsWhereTheDivergenceReachesTheBudget) {
  EXPECT_DOUBLE_EQ(bernoulli_kl(0.5, 0.25), 0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3.0));
  EXPECT_EQ(bernoulli_kl(0.3, 0.3), 0.0);
  EXPECT_NEAR(bernoulli_kl_bound(0.0, 0.7), 1.0 - std::exp(-0.7), 1e-15);
  EXPECT_EQ(bernoulli_kl_bound(1.0, 0.7), 1.0);
  EXPECT_EQ(bernoulli_kl_bound(-3.0, 0.0), 0.0);  // a regression may predict this
  EXPECT_EQ(bernoulli_kl_bound(7.0, 0.1), 1.0);
  for (const double p : {1e-12, 0.001, 0.02, 0.3, 0.5, 0.77, 0.99, 1.0 - 1e-9}) {
    for (const double d : {1e-9, 1e-4, 0.01, 0.3, 2.0, 15.0, 600.0}) {
      EXPECT_NEAR(bernoulli_kl_bound(p, d), slow_bound(p, d), 1e-9) << p << " " << d;
    }
  }
}

// n = 3. Action 0 has one reward and the mean 0, so its index is 1 - exp(-ln 3) = 2/3. Action 1 has
// two, so it has the same index if kl(mean, 2/3) = ln 3 / 2.
TEST(KlUcb, ChoiceChangesWhereTheIndicesAreEqual) {
  for (const double off : {-1e-6, 1e-6}) {
    Explorer<KlUcb> kl_ucb(actions(2));
    FixedValues model({0.0, 0.0});
    Rng rng({.seed = 1});
    kl_ucb.choose(model, {}, rng);
    kl_ucb.choose(model, {}, rng);
    kl_ucb.observe(0, 0.0);
    for (int i = 0; i < 2; ++i) kl_ucb.observe(1, 0.0);
    double low = 0.0, high = 2.0 / 3.0;
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      (bernoulli_kl(middle, 2.0 / 3.0) > std::log(3.0) / 2.0 ? low : high) = middle;
    }
    model[1] = low + off;
    EXPECT_EQ(kl_ucb.choose(model, {}, rng).action, off > 0.0 ? 1U : 0U);
    EXPECT_EQ(rng.position(), 0U);
  }
}

TEST(KlUcb, AnActionWithoutARewardComesFirst) {
  Explorer<KlUcb> kl_ucb(actions(3));
  FixedValues model({1.0, 1.0, 0.0});
  Rng rng({.seed = 1});
  for (Action a = 0; a < 3; ++a) EXPECT_EQ(kl_ucb.choose(model, {}, rng).action, a);
  kl_ucb.observe(0, 0.0);
  kl_ucb.observe(1, 0.0);
  EXPECT_EQ(kl_ucb.choose(model, {}, rng).action, 2U);
}

TEST(KlUcb, RewardsOutsideItsRangeAreRefused) {
  const auto agent = make_agent("sample_mean+kl_ucb", actions(2));
  EXPECT_EQ(agent->rewards().max, 1.0);
  EXPECT_EQ(error_of([&] { agent->learn({}, {.action = 0, .value = 0.0}, 1.5); }),
            "learn: reward 1.5 is not allowed; kl_ucb learns from rewards from 0 to 1");
  const auto problem = make_problem("linear", Stream{});
  const auto contextual = make_agent("linear+kl_ucb", {.shape = problem->shape(), .stream = {}});
  Streams rng{Rng(Stream{}), Rng(Stream{.role = Role::kAgent})};
  const auto points = curve_points(10);
  Recorder recorder(problem->shape().actions, 10, points);
  EXPECT_THAT(error_of<UsageError>([&] { contextual->play(*problem, rng, 10, recorder); }),
              ::testing::HasSubstr("kl_ucb learns from rewards from 0 to 1"));
}

}  // namespace
}  // namespace sau
