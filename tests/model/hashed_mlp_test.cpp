#include "sau/model/hashed_mlp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/hashed_features.hpp"

namespace sau::hashed_mlp_test {
namespace {

using testing::feature;
using testing::Features;

TEST(RunningMoments, MatchTheNumbers) {
  RunningMoments moments;
  for (const double x : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) moments.add(x);
  EXPECT_NEAR(moments.mean, 5.0, 1e-12);
  EXPECT_NEAR(moments.variance, 4.0, 1e-12);
  const Standardised scaling = Standardised::of(moments);
  EXPECT_FLOAT_EQ(scaling(9.0F), 2.0F);
  EXPECT_FLOAT_EQ(scaling(1e9F), Standardised::kLimit);
}

TEST(RunningMoments, AnIndicatorStaysOne) {
  RunningMoments moments;
  for (int i = 0; i < 1000; ++i) moments.add(1.0);
  EXPECT_EQ(Standardised::of(moments)(1.0F), 1.0F);
  RunningMoments large;
  large.add(-1e30);
  EXPECT_FLOAT_EQ(Standardised::of(large)(-1e30F), -1.0F);
}

TEST(HashedHistory, KeepsTheLatest) {
  HashedHistory history(3);
  for (int i = 0; i < 5; ++i) {
    history.add(Features{feature("c", i)}, {Features{feature("a"), feature("b")}}, 0.5 * i);
  }
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[0].reward, 1.0);
  EXPECT_EQ(history[2].reward, 2.0);
  EXPECT_EQ(history[2].context_features()[0].value, 4.0F);
  EXPECT_EQ(history[2].action().features.size(), 2u);
}

double value_of(const HashedMlp& model, const Features& context, const Features& action) {
  const JointAction offered{action};
  double value = 0.0;
  model.weights().values(context, {&offered, 1}, {&value, 1});
  return value;
}

// Which of two actions is right depends on whether x is near 0. Nothing linear in x can learn that,
// not even its cross with the action. Features and rewards are far from 0 and 1 in size.
TEST(HashedMlp, LearnsWhatNoLinearModelCan) {
  HashedMlp model(Stream{.seed = 1}, {.bits = 12});
  Rng rng(Stream{.seed = 2});
  const auto reward_of = [](double x, std::uint64_t a) {
    return (std::abs(x) < 0.7) == (a == 0) ? 5000.0 : 3000.0;
  };
  const auto context_of = [](double x) { return Features{feature("x", 1e6 + 250.0 * x)}; };
  const auto action_of = [](std::uint64_t a) {
    return Features{feature("id=" + std::to_string(a))};
  };
  for (int i = 0; i < 4000; ++i) {
    const double x = rng.normal();
    const std::uint64_t a = rng.below(2);
    model.learn(context_of(x), {action_of(a)}, reward_of(x, a));
  }
  EXPECT_EQ(model.fault(), "");
  int right = 0;
  for (int i = 0; i < 500; ++i) {
    const double x = rng.normal();
    const bool first =
        value_of(model, context_of(x), action_of(0)) > value_of(model, context_of(x), action_of(1));
    right += first == (std::abs(x) < 0.7) ? 1 : 0;
  }
  EXPECT_GT(right, 465);
}

TEST(HashedMlp, PredictsAboutTheMeanRewardBeforeTraining) {
  HashedMlp model(Stream{.seed = 1});
  for (int i = 0; i < 10; ++i) model.learn(Features{feature("x", i)}, {}, 100.0 + i % 2);
  EXPECT_NEAR(value_of(model, {feature("x", 3.0)}, {}), 100.5, 1.0);
}

TEST(HashedMlp, OutputsDoNotDependOnTheOtherActionsOffered) {
  HashedMlp model(Stream{.seed = 1}, {.bits = 12});
  Rng rng(Stream{.seed = 3});
  const Features one{feature("id=1"), feature("p", 3.0)}, two{feature("id=2")};
  const Features context{feature("x", 0.3), feature("day=2")};
  for (int i = 0; i < 200; ++i) model.learn(context, {i % 2 == 0 ? one : two}, rng.normal());
  const std::vector<JointAction> both{{one}, {two}};
  std::vector<double> values(2);
  model.weights().values(context, both, values);
  EXPECT_EQ(values[0], value_of(model, context, one));
  EXPECT_EQ(values[1], value_of(model, context, two));
}

TEST(HashedMlp, HugeFeaturesAndRewardsStayFinite) {
  HashedMlp model(Stream{.seed = 1}, {.bits = 10});
  Rng rng(Stream{.seed = 5});
  for (int i = 0; i < 300; ++i) {
    const Features context{feature("x", 3e38 * (2.0 * rng.uniform() - 1.0)),
                           feature("y", 1e-38 * rng.normal())};
    const Features action{feature("id=" + std::to_string(rng.below(3)))};
    model.learn(context, {action}, 1e90 * rng.normal());
    ASSERT_TRUE(std::isfinite(value_of(model, context, action)));
  }
}

TEST(HashedMlp, AfterAFaultAllValuesAreZero) {
  // Sixteen layers whose weights change by 100 in one step.
  HashedMlp model(Stream{.seed = 1},
                  {.bits = 10, .hidden = std::vector<double>(16, 16.0), .lr = 10.0});
  Rng rng(Stream{.seed = 6});
  const Features action{feature("id")};
  for (int i = 0; i < 200 && model.fault().empty(); ++i) {
    model.learn(Features{feature("x", rng.normal())}, {action}, rng.normal());
  }
  EXPECT_THAT(model.fault(), ::testing::HasSubstr("diverged"));
  EXPECT_EQ(value_of(model, {feature("x", 1.0)}, action), 0.0);
}

TEST(HashedMlp, LayersThatMakeNoSenseAreRefused) {
  using testing::error_of;
  EXPECT_NE(error_of<UsageError>([] { HashedMlp(Stream{}, {.hidden = {}}); }), "");
  EXPECT_NE(error_of<UsageError>([] { HashedMlp(Stream{}, {.hidden = {2.5}}); }), "");
}

}  // namespace
}  // namespace sau::hashed_mlp_test
