// What a network does with rewards and contexts that are too large for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/mlp_support.hpp"
#include "model/naive_mlp.hpp"
#include "sau/model/mlp.hpp"

namespace sau::mlp_test {
namespace {

using ::testing::HasSubstr;
using testing::NaiveMlp;

void expect_given_up(Mlp& model, const std::string& why) {
  EXPECT_THAT(model.fault(), HasSubstr(why));
  const std::string bytes = bytes_of(model);
  const double x[kDim] = {1.0, 2.0};
  EXPECT_EQ(copy(model.values(x)), std::vector<double>(kActions));
  EXPECT_EQ(copy(model.features(x)), std::vector<double>(10));
  const std::string fault = model.fault();
  for (int n = 0; n < 20; ++n) model.update(x, 0, 1.0);
  EXPECT_EQ(bytes_of(model), bytes) << "it must not learn any more";
  Mlp again(kSetup, options_of());
  restore(again, bytes);
  EXPECT_EQ(again.fault(), fault);
  EXPECT_EQ(copy(again.values(x)), std::vector<double>(kActions));
}

TEST(MlpFault, RewardsBeyondSinglePrecisionEndInAFault) {
  Mlp model(kSetup, options_of());
  World world;
  learn(model, world, 9);
  EXPECT_EQ(model.fault(), "");
  for (int n = 0; n < 40 && model.fault().empty(); ++n) model.update(world.next(), 0, 1e100);
  expect_given_up(model, "diverged: the loss is not finite after mini-batch");
}

// The squares of their gradients are infinite, so no weight would change any more.
TEST(MlpFault, RewardsWhoseSquaresAreBeyondSinglePrecisionEndInAFault) {
  Mlp model(kSetup, options_of());
  World world;
  for (int n = 0; n < 200 && model.fault().empty(); ++n) model.update(world.next(), 0, 1e30);
  expect_given_up(model,
                  "diverged: a weight is not finite or can no longer change after mini-batch");
}

// A stray number in a question or a step must not spoil what was learned.
constexpr double kHuge[] = {1.1e9, 1e20, 3.4e38, 1e200, -1e200};

TEST(MlpFault, APredictionChangesNothing) {
  Mlp model(kSetup, options_of()), silent = model;
  World world, same_world;
  learn(model, world, 40);
  learn(silent, same_world, 40);
  for (const double size : {1e8, 1e9, 1.1e9, 1e20, 3.4e38, 1e200}) {
    const double x[kDim] = {size, size, -size, 1.0};
    for (const double value : model.values(x)) EXPECT_TRUE(std::isfinite(value)) << size;
    for (const double feature : model.features(x)) EXPECT_TRUE(std::isfinite(feature)) << size;
    EXPECT_EQ(model.fault(), "") << size;
    EXPECT_EQ(bytes_of(model), bytes_of(silent)) << size;
    const double usual[kDim] = {1.0, 2.0};
    EXPECT_EQ(copy(model.values(usual)), copy(silent.values(usual))) << size;
  }
}

TEST(MlpFault, AContextOutOfRangeHasTheValueZero) {
  Mlp model(kSetup, options_of());
  World world;
  learn(model, world, 40);
  for (const double size : kHuge) {
    const double x[kDim] = {0.0, size, 1.0};
    EXPECT_EQ(copy(model.values(x)), std::vector<double>(kActions)) << size;
    EXPECT_EQ(copy(model.features(x)), std::vector<double>(10)) << size;
  }
}

// The weights are finite, but for this context an output is not.
TEST(MlpFault, AnOutputThatIsNotFiniteIsZeroForThisContextOnly) {
  Mlp model(kSetup, options_of());
  for (float& weight : model.network().weights()) weight *= 1e11F;
  const double large[kDim] = {1e9, -1e9, 1e9, 1e9}, small[kDim] = {1e-9, 1e-9};
  EXPECT_EQ(copy(model.values(large)), std::vector<double>(kActions));
  EXPECT_EQ(model.fault(), "");
  EXPECT_NE(copy(model.values(small)), std::vector<double>(kActions));
}

TEST(MlpFault, StepsOutOfRangeAreNotLearned) {
  Mlp model(kSetup, options_of());
  World world;
  learn(model, world, 40);
  const std::string before = bytes_of(model);
  for (int n = 0; n < 2000; ++n) {
    const double x[kDim] = {1.0, kHuge[n % std::size(kHuge)]};
    model.values(x);
    model.update(x, 0, 1.0);
  }
  EXPECT_EQ(bytes_of(model), before);
  learn(model, world, 40);
  EXPECT_GT(model.updates_done(), 20U);
  EXPECT_EQ(model.fault(), "");
}

TEST(MlpFault, AFewStepsAtTheLimitAreLearnedWithoutAFault) {
  for (const Optimizer optimizer : {Optimizer::kRmsprop, Optimizer::kAdam}) {
    Mlp model(kSetup, options_of(optimizer));
    World world;
    learn(model, world, 40);
    double x[kDim];
    std::fill_n(x, kDim, Mlp::kLargestInput);
    for (int n = 0; n < 3; ++n) model.update(x, 0, 1.0);
    learn(model, world, 1000);
    EXPECT_EQ(model.fault(), "");
  }
}

// As with a column of times in milliseconds.
TEST(MlpFault, IfEveryContextIsOutOfRangeThatIsAFault) {
  Mlp model(kSetup, options_of());
  const double x[kDim] = {1.0, 1.7e12};
  for (int n = 0; n < 999; ++n) model.update(x, 0, 1.0);
  EXPECT_EQ(model.fault(), "");
  model.update(x, 0, 1.0);
  expect_given_up(model, "every one of 1000 contexts had a number beyond +-1e9; scale the columns");
}

TEST(MlpFault, AWeightThatIsNotFiniteEndsInAFault) {
  Mlp model(kSetup, options_of());
  World world;
  const std::vector<std::size_t> hidden{12, 10};
  const NaiveMlp naive(kSetup.shape, hidden, model.network().weights());
  model.network().weights()[naive.place.back()] = INFINITY;  // of action 2, which is not chosen
  for (int n = 0; n < 10; ++n) model.update(world.next(), 0, 1.0);
  expect_given_up(model,
                  "diverged: a weight is not finite or can no longer change after mini-batch 3");
}

TEST(MlpFault, HugeRewardsAndRatesNeverShowInfiniteValues) {
  for (const double lr : {0.003, 10.0}) {
    for (const double size : {1.0, 1e15, 1e20, 1e30, 1e38, 1e100}) {
      MlpOptions options = options_of();
      options.lr = lr;
      Mlp model(kSetup, options);
      World world;
      for (int n = 0; n < 100; ++n) {
        const Context x = world.next();
        for (const double value : model.values(x)) {
          ASSERT_TRUE(model.fault().empty() ? std::isfinite(value) : value == 0.0) << lr << size;
        }
        model.update(x, world.action(), size * x[0]);
      }
    }
  }
}

}  // namespace
}  // namespace sau::mlp_test
