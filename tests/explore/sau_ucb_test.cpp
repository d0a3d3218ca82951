#include "sau/explore/sau_ucb.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/core/archive.hpp"
#include "sau/model/sample_mean.hpp"
#include "support/fixed_values.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;
using testing::FixedValues;

TEST(SauUcb, OpensWithEveryActionInOrder) {
  Explorer<SauUcb> ucb(actions(4));
  FixedValues model({0.0, 9.0, 0.0, 0.0});
  Rng rng({.seed = 1});
  for (Action a = 0; a < 4; ++a) {
    const Choice made = ucb.choose(model, {}, rng);
    EXPECT_EQ(made.action, a);
    ucb.observe(made.action, 0.0);
  }
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 1U);
}

TEST(SauUcb, InitialPullsAreWholeRounds) {
  Explorer<SauUcb> ucb(actions(3), {.initial_pulls = 2});
  FixedValues model({9.0, 0.0, 0.0});
  Rng rng({.seed = 1});
  for (const Action expected : {0U, 1U, 2U, 0U, 1U, 2U, 0U}) {
    const Choice made = ucb.choose(model, {}, rng);
    EXPECT_EQ(made.action, expected);
    ucb.observe(made.action, 0.0);
  }
}

TEST(SauUcb, IndexIsEquation7) {
  Explorer<SauUcb> ucb(actions(2));
  FixedValues model({0.30, 0.50});
  Rng rng({.seed = 1});
  ucb.observe(ucb.choose(model, {}, rng).action, 3.0);  // action 0: S2 = 1 + 9, n_0 = 1
  ucb.observe(ucb.choose(model, {}, rng).action, 0.0);  // action 1: S2 = 1,     n_1 = 1
  // n = 3:  action 0: 0.30 + sqrt(10 ln 3) = 3.61    action 1: 0.50 + sqrt(ln 3) = 1.55
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 0U);
}

// The choice changes exactly where the two indices of eq. 7 are equal.
TEST(SauUcb, ChoiceChangesWhereTheIndicesAreEqual) {
  Explorer<SauUcb> start(actions(2));
  FixedValues model({0.2, 0.0});
  Rng rng({.seed = 1});
  for (int n = 0; n < 2; ++n) start.choose(model, {}, rng);
  for (const double residual : {0.5, -1.0, 2.0}) start.observe(0, residual);
  for (const double residual : {0.1, -0.3}) start.observe(1, residual);
  // S2_0 = 1 + 0.25 + 1 + 4 = 6.25 with n_0 = 3;  S2_1 = 1 + 0.01 + 0.09 = 1.1 with n_1 = 2; n = 3.
  const double index0 = 0.2 + std::sqrt(6.25 * std::log(3.0)) / 3.0;
  const double bonus1 = std::sqrt(1.1 * std::log(3.0)) / 2.0;
  for (const double off : {-1e-9, 1e-9}) {
    Explorer<SauUcb> ucb = start;
    model[1] = index0 - bonus1 + off;
    EXPECT_EQ(ucb.choose(model, {}, rng).action, off < 0.0 ? 0U : 1U);
  }
}

TEST(SauUcb, SumOfSquaresStartsAtOne) {
  const Explorer<SauUcb> ucb(actions(2));
  EXPECT_EQ(ucb.evidence().square(0), 1.0);
  EXPECT_EQ(ucb.evidence().pulls(0), 0.0);
}

// ln n uses the step, not the number of rewards: at n = 10 with one reward each, the bonus of
// S2 = 5 over S2 = 1 is (sqrt(5) - 1) sqrt(ln 10).
TEST(SauUcb, NIsTheStepNotTheNumberOfRewards) {
  const double lead = (std::sqrt(5.0) - 1.0) * std::sqrt(std::log(10.0));
  for (const double off : {-1e-9, 1e-9}) {
    Explorer<SauUcb> ucb(actions(2));
    FixedValues model({0.0, 0.0});
    Rng rng({.seed = 1});
    ucb.observe(0, 2.0);
    ucb.observe(1, 0.0);
    for (int n = 1; n < 10; ++n) ucb.choose(model, {}, rng);
    model[1] = lead + off;
    EXPECT_EQ(ucb.choose(model, {}, rng).action, off < 0.0 ? 0U : 1U);
  }
}

TEST(SauUcb, AlphaScalesTheBonus) {
  // n = 3, S2 = 5 and 1, one reward each: they are equal at alpha (sqrt(5) - 1) sqrt(ln 3).
  const double lead = 0.25 * (std::sqrt(5.0) - 1.0) * std::sqrt(std::log(3.0));
  for (const double off : {-1e-9, 1e-9}) {
    Explorer<SauUcb> ucb(actions(2), {.alpha = 0.25});
    FixedValues model({0.0, lead + off});
    Rng rng({.seed = 1});
    ucb.choose(model, {}, rng);
    ucb.choose(model, {}, rng);
    ucb.observe(0, 2.0);
    ucb.observe(1, 0.0);
    EXPECT_EQ(ucb.choose(model, {}, rng).action, off < 0.0 ? 0U : 1U);
  }
}

TEST(SauUcb, ReportsTheValueWithoutTheBonus) {
  Explorer<SauUcb> ucb(actions(2));
  FixedValues model({0.3, 0.7});
  Rng rng({.seed = 1});
  for (int n = 0; n < 5; ++n) {
    const Choice made = ucb.choose(model, {}, rng);
    EXPECT_EQ(made.value, model[made.action]);
    ucb.observe(made.action, 0.0);
  }
}

// Two decisions on action 0 are made at value 0; the rewards 1 and 0.5 come later. Residuals are
// 1 and 0.5, though the mean is 1 when the second arrives: S2 = 1 + 1 + 0.25.
TEST(SauUcb, ResidualUsesTheValueAtChoiceTime) {
  Agent agent{SampleMean{actions(1)}, SauUcb{actions(1)}};
  Rng rng({.seed = 1});
  const Choice first = agent.choose({}, rng), second = agent.choose({}, rng);
  agent.learn({}, first, 1.0);
  EXPECT_EQ(agent.values({})[0], 1.0);
  agent.learn({}, second, 0.5);
  EXPECT_EQ(agent.explorer().evidence().square(0), 2.25);
  EXPECT_EQ(agent.explorer().evidence().pulls(0), 2.0);
}

TEST(SauUcb, AnActionWithoutAnyRewardYetHasAnInfiniteIndex) {
  Explorer<SauUcb> ucb(actions(4));
  FixedValues model({100.0, 0.0, -5.0, 0.0});
  Rng rng({.seed = 1});
  for (int n = 0; n < 4; ++n) ucb.choose(model, {}, rng);
  ucb.observe(0, 0.0);
  ucb.observe(1, 0.0);
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 2U);  // 2 and 3 have no reward: the lowest wins
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 2U);
  ucb.observe(2, 0.0);
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 3U);
  ucb.observe(3, 0.0);
  EXPECT_EQ(ucb.choose(model, {}, rng).action, 0U);
}

TEST(SauUcb, FloorMixesWithTheUniformChoice) {
  Explorer<SauUcb> ucb(actions(4), {.floor = 0.2});
  FixedValues model({0.0, 5.0, 0.0, 0.0});
  Rng rng({.seed = 3});
  for (Action a = 0; a < 4; ++a) {
    ucb.choose(model, {}, rng);
    ucb.observe(a, 0.0);
  }
  std::vector<double> chance(4);
  ucb.probabilities(model, {}, chance);
  EXPECT_NEAR(chance[1], 0.85, 1e-15);  // 0.8 + 0.2 / 4
  EXPECT_NEAR(chance[0], 0.05, 1e-15);
  const int draws = 100'000;
  int other = 0;
  for (int n = 0; n < draws; ++n) other += ucb.choose(model, {}, rng).action != 1 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(other) / draws, 0.15, 5.0 * std::sqrt(0.15 * 0.85 / draws));
}

TEST(SauUcb, WithoutAFloorNothingIsDrawn) {
  Explorer<SauUcb> ucb(actions(3));
  FixedValues model({0.0, 1.0, 0.0});
  Rng rng({.seed = 3});
  for (int n = 0; n < 50; ++n) ucb.observe(ucb.choose(model, {}, rng).action, 0.5);
  EXPECT_EQ(rng.position(), 0U);
}

// sqrt(S2) / n of action 0: sqrt(1 + 4 + 0.25) / 2.
TEST(SauState, WidthIsTheRootOfSau) {
  SauState state(2);
  state.observe(0, 2.0);
  state.observe(0, -0.5);
  EXPECT_DOUBLE_EQ(state.width()[0], std::sqrt(5.25) / 2.0);
  EXPECT_TRUE(std::isinf(state.width()[1]));
  EXPECT_EQ(state.unplayed(), 1U);
}

TEST(SauState, MergedPartsEqualTheWhole) {
  SauState whole(4), left(4), right(4);
  Rng rng({.seed = 5});
  for (int n = 0; n < 200; ++n) {
    const auto action = static_cast<Action>(rng.below(3));
    const double residual = rng.normal();
    whole.observe(action, residual);
    (action == 0 || n % 2 == 0 ? left : right).observe(action, residual);
  }
  left.merge(right);
  EXPECT_EQ(left.unplayed(), 1U);
  for (Action a = 0; a < 4; ++a) {
    EXPECT_EQ(left.pulls(a), whole.pulls(a));
    EXPECT_NEAR(left.square(a), whole.square(a), 1e-12);
    if (a < 3) {
      EXPECT_NEAR(left.width()[a], whole.width()[a], 1e-14);
    }
  }
  EXPECT_TRUE(std::isinf(left.width()[3]));
}

// Residuals 3, 1 of action 0 and 2 of action 1: T = (9 + 1 + 4) / 3.
TEST(SauState, PoolAddsResidualsOfAverageSize) {
  SauState state(2, 1.0, {.pool = 6.0, .start = 0.5});
  state.observe(0, 3.0);
  state.observe(1, 2.0);
  state.observe(0, 1.0);
  const double prior = 6.0 * 14.0 / 3.0;
  EXPECT_DOUBLE_EQ(state.width()[0], std::sqrt(0.5 + 10.0 + prior) / 2.0);
  EXPECT_DOUBLE_EQ(state.width()[1], std::sqrt(0.5 + 4.0 + prior));
  EXPECT_DOUBLE_EQ(state.variance(0), (0.5 + 10.0 + prior) / 2.0);
}

TEST(SauState, AnActionWithoutARewardHasAnInfiniteWidthWithPoolToo) {
  SauState state(2, 1.0, {.pool = 6.0});
  state.observe(0, 3.0);
  EXPECT_TRUE(std::isinf(state.width()[1]));
  EXPECT_EQ(state.unplayed(), 1U);
}

// Nothing has a scale yet, so any will do: widths depend on the counts alone.
TEST(SauState, PoolExploresByCountsWhileEveryResidualIsZero) {
  SauState state(2, 1.0, {.pool = 4.0, .start = 0.0});
  state.observe(0, 0.0);
  state.observe(1, 0.0);
  state.observe(1, 0.0);
  EXPECT_DOUBLE_EQ(state.width()[0], 2.0);
  EXPECT_DOUBLE_EQ(state.width()[1], 1.0);
}

TEST(SauState, PoolWithoutAStartIsFreeOfUnits) {
  SauState plain(3, 1.0, {.pool = 25.0, .start = 0.0}), scaled = plain;
  Rng rng({.seed = 2});
  for (int n = 0; n < 100; ++n) {
    const auto action = static_cast<Action>(rng.below(3));
    const double residual = rng.normal();
    plain.observe(action, residual);
    scaled.observe(action, 1024.0 * residual);
    for (std::size_t a = 0; a < 3; ++a) ASSERT_EQ(scaled.width()[a], 1024.0 * plain.width()[a]);
  }
}

TEST(SauState, PooledHalvesMergeToTheWhole) {
  SauState whole(2, 1.0, {.pool = 5.0}), left = whole, right = whole;
  Rng rng({.seed = 2});
  for (int n = 0; n < 60; ++n) {
    const auto action = static_cast<Action>(rng.below(2));
    const double residual = rng.normal();
    whole.observe(action, residual);
    (n % 3 == 0 ? left : right).observe(action, residual);
  }
  left.merge(right);
  for (std::size_t a = 0; a < 2; ++a) EXPECT_NEAR(left.width()[a], whole.width()[a], 1e-14);
}

TEST(SauState, PoolIsPartOfTheSavedState) {
  SauState saved(2, 1.0, {.pool = 5.0});
  Rng rng({.seed = 2});
  for (int n = 0; n < 50; ++n) saved.observe(static_cast<Action>(n % 2), rng.normal());
  StateWriter writer;
  SauState::state(saved, writer);
  SauState loaded(2, 1.0, {.pool = 5.0});
  StateReader reader(writer.bytes());
  SauState::state(loaded, reader);
  reader.finish();
  loaded.restored();
  saved.observe(0, 1.0);
  loaded.observe(0, 1.0);
  for (std::size_t a = 0; a < 2; ++a) EXPECT_EQ(loaded.width()[a], saved.width()[a]);
}

TEST(SauUcb, ADisagreementAboveTheNoiseCountsInFull) {
  EXPECT_DOUBLE_EQ(disagreement_bonus(3.0, 16.0), 9.0 / 5.0);
  EXPECT_DOUBLE_EQ(disagreement_bonus(3.0, 0.0), 3.0);
  EXPECT_DOUBLE_EQ(disagreement_bonus(0.0, 0.0), 0.0);
  EXPECT_NEAR(disagreement_bonus(1e-3, 1.0), 1e-6, 1e-12);
}

// S2 = 1 + 4 after one reward and 1 + 4 + 1 after two; the prior counts as three more.
TEST(SauState, APriorCountsAsRewards) {
  SauState state(2, 1.0, {.prior = 3.0});
  state.observe(0, 2.0);
  EXPECT_DOUBLE_EQ(state.width()[0], std::sqrt(5.0) / 4.0);
  EXPECT_DOUBLE_EQ(state.variance(0), 5.0 / 4.0);
  EXPECT_TRUE(std::isinf(state.width()[1]));
  state.observe(0, -1.0);
  EXPECT_DOUBLE_EQ(state.width()[0], std::sqrt(6.0) / 5.0);
}

// Values set by hand, and a disagreement about action 1.
class Disputed : public FixedValues {
 public:
  using FixedValues::FixedValues;
  std::span<const double> disagreement(Context) const noexcept { return disagreement_; }

 private:
  std::vector<double> disagreement_ = {0.0, 2.0};
};

// Both actions have S2 = 1 + 3 = 4 and n_a = 4, so tau2 = 1 and their bonuses are equal. The
// disagreement adds 4 / sqrt(5) = 1.789 to action 1.
TEST(SauUcb, AddsTheDisagreementToTheValue) {
  Rng rng({.seed = 1});
  for (const auto& [value, expected] : {std::pair{1.78, 1U}, {1.80, 0U}}) {
    Explorer<SauUcb> ucb(actions(2));
    Disputed model({value, 0.0});
    for (int n = 0; n < 2; ++n) ucb.choose(model, {}, rng);
    for (const Action a : {0U, 1U}) {
      for (const double residual : {1.0, 1.0, 1.0, 0.0}) ucb.observe(a, residual);
    }
    EXPECT_EQ(ucb.choose(model, {}, rng).action, expected);
    FixedValues undisputed({value, 0.0});
    EXPECT_EQ(ucb.choose(undisputed, {}, rng).action, 0U);
  }
}

}  // namespace
}  // namespace sau
