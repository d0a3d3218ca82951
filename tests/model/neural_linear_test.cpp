#include "sau/model/neural_linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/model/value_model.hpp"

namespace sau::neural_linear_test {
namespace {

static_assert(PosteriorModel<NeuralLinear> && WidthModel<NeuralLinear>);

constexpr Action kActions = 3;
constexpr std::size_t kDim = 4;
const Setup kSetup{.shape = {.actions = kActions, .dim = kDim}, .stream = {.seed = 17}};

NeuralLinearOptions small_options() {
  NeuralLinearOptions options;
  options.hidden = {9, 7};
  options.lr = 0.03;
  options.batch = 8;
  options.every = 5;
  options.start = 10;
  options.lambda = 1.5;
  options.a0 = 3.0;
  options.b0 = 2.0;
  return options;
}

// The same model in parts: an Mlp, and a LinearPosterior that is updated by hand.
struct Parts {
  Parts()
      : network(kSetup, small_options()),
        posterior({.shape = {.actions = kActions, .dim = 7}, .stream = kSetup.stream},
                  {.lambda = 1.5, .a0 = 3.0, .b0 = 2.0, .intercept = true}) {}

  Mlp network;
  LinearPosterior posterior;
};

struct World {
  Context next() {
    for (double& element : x) element = rng.normal();
    action = static_cast<Action>(rng.below(kActions));
    reward = std::abs(x[action]) + 0.2 * rng.normal();
    return x;
  }

  Rng rng{Stream{.seed = 5}};
  double x[kDim] = {};
  Action action = 0;
  double reward = 0.0;
};

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

void expect_same(NeuralLinear& model, Parts& parts, Context x, int step) {
  const std::vector<double> features = copy(parts.network.features(x));
  ASSERT_EQ(copy(model.values(x)), copy(parts.posterior.values(features))) << step;
  ASSERT_EQ(copy(model.widths(x)), copy(parts.posterior.widths(features))) << step;
  Rng one(Stream{.seed = 2}), two(Stream{.seed = 2});
  ASSERT_EQ(copy(model.sample(x, one)), copy(parts.posterior.sample(features, two))) << step;
  ASSERT_EQ(one.position(), two.position());
  const auto found = model.marginals(x), expected = parts.posterior.marginals(features);
  for (std::size_t a = 0; a < kActions; ++a) {
    ASSERT_EQ(found[a].mean, expected[a].mean) << step;
    ASSERT_EQ(found[a].scale, expected[a].scale) << step;
    ASSERT_EQ(found[a].dof, expected[a].dof) << step;
  }
}

// The features are computed with the weights before the step is learned.
TEST(NeuralLinear, IsALinearPosteriorOfTheFeaturesAtLearningTime) {
  NeuralLinear model(kSetup, small_options());
  Parts parts;
  World world;
  for (int step = 0; step < 120; ++step) {
    const Context x = world.next();
    if (step % 3 > 0) expect_same(model, parts, x, step);  // every third context is not asked for
    parts.posterior.update(copy(parts.network.features(x)), world.action, world.reward);
    parts.network.update(x, world.action, world.reward);
    model.update(x, world.action, world.reward);
  }
  expect_same(model, parts, world.next(), 120);
  EXPECT_GT(parts.network.updates_done(), 100U);
}

// Without this, the test above would not depend on "at learning time".
TEST(NeuralLinear, TheFeaturesOfAStepChangeWhenTheNetworkTrains) {
  NeuralLinear model(kSetup, small_options());
  World world;
  const double x[kDim] = {0.3, -0.2, 1.0, 0.7};
  const auto before = copy(model.network().features(x));
  for (int step = 0; step < 10; ++step) {
    const Context seen = world.next();
    model.update(seen, world.action, world.reward);
  }
  EXPECT_EQ(model.network().updates_done(), 10U);
  EXPECT_NE(copy(model.network().features(x)), before);
}

TEST(NeuralLinear, TheInterceptLearnsTheMeanIfAllFeaturesAreZero) {
  NeuralLinear model(kSetup, small_options());
  for (float& weight : model.network().network().weights()) weight = 0.0F;  // features are 0
  const double x[kDim] = {1.0, 2.0, 3.0, 4.0};
  for (int step = 0; step < 6; ++step) model.update(x, 1, 5.0);
  // For the intercept alone: Lambda = 1.5 + 6, theta = 30 / 7.5.
  EXPECT_NEAR(model.values(x)[1], 4.0, 1e-12);
  EXPECT_EQ(model.values(x)[0], 0.0);
  EXPECT_NEAR(model.widths(x)[1], std::sqrt(1.0 / 7.5), 1e-12);
}

// Student's t with nu degrees of freedom has the variance scale^2 nu / (nu - 2) and, for the error
// of the variance, the kurtosis 3 + 6 / (nu - 4). Within 4.5 standard errors; fixed seed.
TEST(NeuralLinear, DrawsHaveTheMomentsOfTheirMarginals) {
  NeuralLinear model(kSetup, small_options());
  World world;
  for (int step = 0; step < 60; ++step) {
    const Context x = world.next();
    model.update(x, world.action, world.reward);
  }
  const Context x = world.next();
  const auto law = model.marginals(x);
  constexpr int kDraws = 20'000;
  Rng rng(Stream{.seed = 6});
  std::vector<double> sum(kActions), squares(kActions);
  for (int n = 0; n < kDraws; ++n) {
    const auto draw = model.sample(x, rng);
    for (std::size_t a = 0; a < kActions; ++a) {
      const double z = (draw[a] - law[a].mean) / law[a].scale;
      sum[a] += z / kDraws;
      squares[a] += z * z / kDraws;
    }
  }
  for (std::size_t a = 0; a < kActions; ++a) {
    const double variance = law[a].dof / (law[a].dof - 2.0);
    const double kurtosis = 3.0 + 6.0 / (law[a].dof - 4.0);
    EXPECT_NEAR(sum[a], 0.0, 4.5 * std::sqrt(variance / kDraws));
    EXPECT_NEAR(squares[a], variance, 4.5 * variance * std::sqrt((kurtosis - 1.0) / kDraws));
  }
}

std::string bytes_of(const NeuralLinear& model) {
  StateWriter writer;
  NeuralLinear::state(model, writer);
  return writer.bytes();
}

TEST(NeuralLinear, ContinuesTheSameAfterSaveAndLoad) {
  NeuralLinear model(kSetup, small_options()), again(kSetup, small_options());
  World world;
  for (int step = 0; step < 100; ++step) {
    if (step == 43) {
      const std::string bytes = bytes_of(model);
      StateReader reader(bytes);
      NeuralLinear::state(again, reader);
      reader.finish();
      again.restored();
    }
    const Context x = world.next();
    model.update(x, world.action, world.reward);
    if (step >= 43) again.update(x, world.action, world.reward);
  }
  EXPECT_EQ(bytes_of(again), bytes_of(model));
  EXPECT_EQ(copy(again.values(world.x)), copy(model.values(world.x)));
}

TEST(NeuralLinear, ADivergedNetworkIsItsFault) {
  NeuralLinear model(kSetup, small_options());
  World world;
  for (int step = 0; step < 20; ++step) model.update(world.next(), 0, 1e100);
  EXPECT_NE(model.fault(), "");
  Rng rng(Stream{});
  for (const double value : model.values(world.x)) EXPECT_TRUE(std::isfinite(value));
  for (const double value : model.sample(world.x, rng)) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace sau::neural_linear_test
