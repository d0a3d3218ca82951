#include "sau/model/beta_bernoulli.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sau/model/value_model.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;

static_assert(PosteriorModel<BetaBernoulli> && Mergeable<BetaBernoulli>);

TEST(BetaBernoulli, StartsAtThePriorMean) {
  const BetaBernoulli uniform(actions(2));
  EXPECT_EQ(uniform.values({})[0], 0.5);
  const BetaBernoulli skewed(actions(2), {.alpha = 1.0, .beta = 3.0});
  EXPECT_EQ(skewed.values({})[1], 0.25);
}

// Beta(1, 1) and rewards 1, 1, 0: Beta(3, 2), mean 3 / 5.
TEST(BetaBernoulli, PosteriorCountsSuccessesAndFailures) {
  BetaBernoulli model(actions(2));
  for (const double reward : {1.0, 1.0, 0.0}) model.update({}, 1, reward);
  EXPECT_DOUBLE_EQ(model.values({})[1], 0.6);
  const auto marginals = model.marginals({});
  ASSERT_EQ(marginals.size(), 2U);
  EXPECT_EQ(marginals[1].alpha, 3.0);
  EXPECT_EQ(marginals[1].beta, 2.0);
  EXPECT_EQ(marginals[0].alpha, 1.0);
  EXPECT_EQ(marginals[0].beta, 1.0);
}

// A reward r counts as a fraction r of a success: Beta(1, 1) and 0.25 give Beta(1.25, 1.75).
TEST(BetaBernoulli, RewardsBetweenZeroAndOneCountInPart) {
  BetaBernoulli model(actions(1));
  model.update({}, 0, 0.25);
  EXPECT_EQ(model.marginals({})[0].alpha, 1.25);
  EXPECT_EQ(model.marginals({})[0].beta, 1.75);
  EXPECT_DOUBLE_EQ(model.values({})[0], 1.25 / 3.0);
}

TEST(BetaBernoulli, LearnsOnlyFromRewardsBetweenZeroAndOne) {
  EXPECT_EQ(BetaBernoulli::kRewards.min, 0.0);
  EXPECT_EQ(BetaBernoulli::kRewards.max, 1.0);
}

// Mean a / (a + b), variance a b / ((a + b)^2 (a + b + 1)) of Beta(9, 3); 5 standard errors.
TEST(BetaBernoulli, SamplesItsMarginals) {
  BetaBernoulli model(actions(2));
  for (int i = 0; i < 8; ++i) model.update({}, 0, 1.0);
  for (int i = 0; i < 2; ++i) model.update({}, 0, 0.0);
  const double mean = 9.0 / 12.0, variance = 27.0 / (144.0 * 13.0);
  Rng rng({.seed = 6});
  const int draws = 50'000;
  double sum = 0.0, square = 0.0, other = 0.0;
  for (int i = 0; i < draws; ++i) {
    const auto draw = model.sample({}, rng);
    sum += draw[0];
    square += (draw[0] - mean) * (draw[0] - mean);
    other += draw[1];
  }
  EXPECT_NEAR(sum / draws, mean, 5.0 * std::sqrt(variance / draws));
  EXPECT_NEAR(square / draws, variance, 0.05 * variance);
  EXPECT_NEAR(other / draws, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / draws));
}

TEST(BetaBernoulli, MergedPartsEqualTheWhole) {
  for (const double prior : {1.0, 0.1, 30.0}) {
    const BetaBernoulliOptions options{.alpha = prior, .beta = 2.0 * prior};
    BetaBernoulli whole(actions(3), options), left(actions(3), options), right(actions(3), options);
    Rng rng({.seed = 8});
    for (int n = 0; n < 200; ++n) {
      const auto action = static_cast<Action>(rng.below(2));
      const double reward = rng.uniform() < 0.3 ? 1.0 : 0.0;
      whole.update({}, action, reward);
      (n % 2 == 0 ? left : right).update({}, action, reward);
    }
    left.merge(right);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(left.marginals({})[a].alpha, whole.marginals({})[a].alpha, 1e-12);
      EXPECT_NEAR(left.marginals({})[a].beta, whole.marginals({})[a].beta, 1e-12);
      EXPECT_NEAR(left.values({})[a], whole.values({})[a], 1e-14);
    }
    // The sampler's constants are updated too: the same stream gives the same draws.
    Rng one({.seed = 1}), two({.seed = 1});
    EXPECT_NEAR(left.sample({}, one)[0], whole.sample({}, two)[0], 1e-12);
  }
}

}  // namespace
}  // namespace sau
