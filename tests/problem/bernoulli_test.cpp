#include "sau/problem/bernoulli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;

BernoulliOptions read(const std::string& settings) {
  return read_options<BernoulliOptions>("bernoulli", parse_spec("bernoulli" + settings).params);
}
std::string refusal(const std::string& settings) {
  return testing::error_of<UsageError>([&] { read(settings); });
}

TEST(BernoulliSettings, AGapAboveTheMeanIsRefused) {
  EXPECT_EQ(refusal("(gap=0.6)"), "bernoulli: gap=0.6 is not allowed; expected at most mean, 0.5");
  EXPECT_EQ(refusal("(gap=0.5)"), "");
  EXPECT_EQ(refusal("(gap=0.8,mean=0.9)"), "");
}

TEST(BernoulliSettings, TheGapDoesNotMatterForOneAction) {
  EXPECT_EQ(refusal("(actions=1,gap=0.9)"), "");
}

TEST(BernoulliSettings, TheBestActionIsOneOfTheActions) {
  EXPECT_THAT(refusal("(actions=3,best=3)"), HasSubstr("best=3 is not allowed"));
  EXPECT_THAT(refusal("(actions=3,best=3)"), HasSubstr("from 0 to 2"));
  for (const char* best : {"(best=-1)", "(best=1.0)", "(best=01)", "(best=+1)", "(best=last)"}) {
    EXPECT_THAT(refusal(best), HasSubstr("expected random or the number of an action"));
  }
  EXPECT_EQ(refusal("(best=random)"), "");
  EXPECT_EQ(refusal("(actions=3,best=2)"), "");
}

TEST(BernoulliSettings, NumbersStayInTheirRanges) {
  EXPECT_NE(refusal("(actions=0)"), "");
  EXPECT_NE(refusal("(actions=1000001)"), "");
  EXPECT_NE(refusal("(mean=1.1)"), "");
  EXPECT_NE(refusal("(gap=-0.1)"), "");
  EXPECT_NE(refusal("(means=0.2x1.2)"), "");
  EXPECT_THAT(refusal("(rewards=coin)"), HasSubstr("expected bernoulli or uniform"));
}

TEST(Bernoulli, TheOthersPayGapLess) {
  const Bernoulli problem({}, read("(actions=4,gap=0.2,mean=0.7,best=2)"));
  EXPECT_EQ(problem.shape(), (Shape{.actions = 4, .dim = 0}));
  for (Action a = 0; a < 4; ++a) {
    EXPECT_NEAR(problem.regret(a), a == 2 ? 0.0 : 0.2, 1e-15);
  }
}

// Each of 10 places in 2000 trials: chi-square with 9 degrees of freedom, level 1e-4.
TEST(Bernoulli, EveryTrialDrawsItsBestAction) {
  constexpr std::uint64_t kTrials = 2'000;
  std::vector<double> count(10);
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const Stream stream{.seed = 3, .trial = trial, .role = Role::kSetup};
    const Bernoulli problem(stream, {}), again(stream, {});
    for (Action a = 0; a < 10; ++a) {
      count[a] += problem.regret(a) == 0.0 ? 1.0 : 0.0;
      ASSERT_EQ(problem.regret(a), again.regret(a));
    }
  }
  double square = 0.0;
  for (const double found : count) square += (found - 200.0) * (found - 200.0) / 200.0;
  EXPECT_LT(square, 33.72);
}

TEST(Bernoulli, MeansSetTheNumberOfActions) {
  const Bernoulli problem({}, read("(means=0.2x0.9x0.5)"));
  EXPECT_EQ(problem.shape().actions, 3U);
  EXPECT_NEAR(problem.regret(0), 0.7, 1e-15);
  EXPECT_EQ(problem.regret(1), 0.0);
  EXPECT_NEAR(problem.regret(2), 0.4, 1e-15);
}

TEST(Bernoulli, RegretOfEqualActionsIsZero) {
  const Bernoulli problem({}, read("(gap=0)"));
  for (Action a = 0; a < 10; ++a) EXPECT_EQ(problem.regret(a), 0.0);
}

TEST(Bernoulli, PaysWithTheRightFrequency) {
  for (const auto rewards : {BernoulliRewards::kBernoulli, BernoulliRewards::kUniform}) {
    BernoulliOptions options;
    options.means = {0.02, 0.4, 0.5, 0.97};
    options.rewards = rewards;
    Bernoulli problem({}, options);
    Rng rng({.seed = 21});
    const int draws = 100'000;
    for (Action a = 0; a < 4; ++a) {
      double sum = 0.0;
      for (int n = 0; n < draws; ++n) {
        problem.next(rng);
        const double reward = problem.pull(a, rng);
        ASSERT_TRUE(reward == 0.0 || reward == 1.0);
        sum += reward;
      }
      const double p = options.means[a];
      EXPECT_NEAR(sum / draws, p, 5.0 * std::sqrt(p * (1.0 - p) / draws));
    }
  }
}

TEST(Bernoulli, CertainActionsAreCertain) {
  Bernoulli problem({}, read("(means=0x1)"));
  Rng rng({.seed = 2});
  for (int n = 0; n < 10'000; ++n) {
    EXPECT_EQ(problem.pull(0, rng), 0.0);
    EXPECT_EQ(problem.pull(1, rng), 1.0);
  }
}

// All agents on a stream get the same noise: a step takes the same number of words for every
// action, and a better action pays whenever a worse one does.
TEST(Bernoulli, AStepTakesTheSameDrawsForEveryAction) {
  for (const char* settings : {"(means=0x0.3x0.7x1)", "(means=0x0.3x0.7x1,rewards=uniform)"}) {
    Bernoulli problem({}, read(settings));
    std::vector<Rng> rng(4, Rng({.seed = 5}));
    for (int n = 0; n < 1000; ++n) {
      double last = 0.0;
      for (Action a = 0; a < 4; ++a) {
        problem.next(rng[a]);
        const double reward = problem.pull(a, rng[a]);
        EXPECT_GE(reward, last);
        last = reward;
        EXPECT_EQ(rng[a].position(), rng[0].position());
      }
    }
    EXPECT_EQ(rng[0].position(), 1000U);
  }
}

TEST(Bernoulli, HasThePapersHorizonAndNoContext) {
  Bernoulli problem({});
  Rng rng({.seed = 1});
  EXPECT_EQ(problem.default_steps(), 100'000U);
  EXPECT_EQ(problem.next(rng).size(), 0U);
  EXPECT_EQ(problem.rewards().min, 0.0);
  EXPECT_EQ(problem.rewards().max, 1.0);
}

}  // namespace
}  // namespace sau
