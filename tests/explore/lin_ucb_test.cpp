#include "sau/explore/lin_ucb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/explore/explorer.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/linear_posterior.hpp"
#include "sau/model/sample_mean.hpp"

namespace sau {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

static_assert(Explores<LinUcb, Linear> && Explores<LinUcb, LinearPosterior>);
static_assert(!Explores<LinUcb, SampleMean>);

const Setup kSetup{.shape = {.actions = 2, .dim = 1}, .stream = {}};

// x = 1, lambda = 1. Action 0, once, reward 1: value 1/2, width sqrt(1/2). Action 1, never played:
// value 0, width 1. Equal where 1/2 = alpha (1 - sqrt(1/2)), alpha = 1.707.
TEST(LinUcb, IndexIsValuePlusWidth) {
  const double x[] = {1.0};
  Linear model(kSetup);
  model.update(x, 0, 1.0);
  Rng rng{Stream{}};
  for (const double alpha : {0.1, 1.0, 1.70, 1.71, 10.0}) {
    Explorer<LinUcb> strategy(kSetup, {.alpha = alpha});
    const Choice made = strategy.choose(model, x, rng);
    EXPECT_EQ(made.action, alpha < 1.7071 ? 0U : 1U) << alpha;
    EXPECT_NEAR(made.value, alpha < 1.7071 ? 0.5 : 0.0, 1e-15);
    std::vector<double> probability(2);
    strategy.probabilities(model, x, probability);
    EXPECT_EQ(probability[made.action], 1.0);
  }
}

TEST(LinUcb, FloorIsAShareOfUniformChoices) {
  const double x[] = {1.0};
  Linear model(kSetup);
  Explorer<LinUcb> strategy(kSetup, {.floor = 0.2});
  std::vector<double> probability(2);
  strategy.probabilities(model, x, probability);
  EXPECT_THAT(probability, ElementsAre(0.9, 0.1));
  Rng rng(Stream{.seed = 1});
  int other = 0;
  for (int i = 0; i < 10'000; ++i) other += strategy.choose(model, x, rng).action == 1 ? 1 : 0;
  EXPECT_NEAR(other, 1000, 120);  // four standard errors
}

TEST(LinUcb, ModelsThatDoNotFitAreRefusedWithAReason) {
  EXPECT_THAT([] { make_agent("sample_mean+lin_ucb", kSetup); },
              ThrowsMessage<UsageError>(
                  StrEq("lin_ucb needs a model with widths; sample_mean is not one")));
  EXPECT_THAT([] { make_agent("linear+thompson", kSetup); },
              ThrowsMessage<UsageError>(
                  StrEq("thompson needs a model with a posterior; linear is not one")));
}

}  // namespace
}  // namespace sau
