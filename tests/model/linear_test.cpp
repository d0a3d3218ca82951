#include "sau/model/linear.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/greedy.hpp"
#include "sau/explore/lin_ucb.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using ::testing::HasSubstr;
using testing::setup_of;
using ::testing::ThrowsMessage;

static_assert(ValueModel<Linear> && WidthModel<Linear> && !PosteriorModel<Linear>);
static_assert(Mergeable<Linear>);

TEST(Linear, ValuesAndWidthsMatchTheHandCalculation) {
  Linear model(setup_of(2, 2), {.lambda = 1.0});
  const double x[] = {3.0, 4.0};
  model.update(x, 0, 52.0);
  // (I + x x')^-1 x = x / 26: theta = 2 x, x' theta = 50, width = sqrt(25 / 26).
  EXPECT_NEAR(model.values(x)[0], 50.0, 1e-12);
  EXPECT_NEAR(model.widths(x)[0], std::sqrt(25.0 / 26.0), 1e-15);
  EXPECT_EQ(model.values(x)[1], 0.0);
  EXPECT_NEAR(model.widths(x)[1], 5.0, 1e-15);
}

TEST(Linear, RefusesALambdaThatIsNotPositive) {
  const auto setup = setup_of(2, 3);
  for (const char* text : {"linear(lambda=0)+greedy", "linear(lambda=-1)+greedy",
                           "linear_posterior(lambda=0)+thompson", "linear(lambda=nan)+greedy"}) {
    EXPECT_THAT([&] { make_agent(text, setup); },
                ThrowsMessage<UsageError>(HasSubstr("expected a number, from 1e-20 to 1e+20")));
  }
}

TEST(Linear, BadContextsAreRefused) {
  const auto agent = make_agent("linear+sau_ucb", setup_of(2, 3));
  Rng rng{Stream{}};
  const std::vector<double> right(3, 1.0), shorter(2, 1.0), longer(4, 1.0);
  std::vector<double> bad = right;
  EXPECT_THROW(agent->choose(shorter, rng), Error);
  EXPECT_THROW(agent->learn(longer, {0, 0.0}, 1.0), Error);
  bad[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(agent->choose(bad, rng), Error);
  EXPECT_THROW(agent->learn(right, {0, 0.0}, std::numeric_limits<double>::infinity()), Error);
  EXPECT_NO_THROW(agent->choose(right, rng));
}

TEST(Linear, PermutingTheActionsPermutesTheValues) {
  Linear one(setup_of(3, 4)), other(setup_of(3, 4));
  const Action moved[] = {2, 0, 1};
  Rng rng(Stream{.seed = 2});
  std::vector<double> x(4);
  for (int step = 0; step < 200; ++step) {
    for (double& element : x) element = rng.normal();
    const auto action = static_cast<Action>(rng.below(3));
    const double reward = rng.normal();
    one.update(x, action, reward);
    other.update(x, moved[action], reward);
  }
  for (Action a = 0; a < 3; ++a) {
    EXPECT_NEAR(one.values(x)[a], other.values(x)[moved[a]], 1e-15);
    EXPECT_EQ(one.widths(x)[a], other.widths(x)[moved[a]]);
  }
}

TEST(Linear, WorksWithoutContextAndWithOneAction) {
  for (const char* spec :
       {"linear+sau_ucb", "linear(intercept=true)+lin_ucb", "linear_posterior+thompson",
        "linear_posterior(covariance=diagonal,intercept=true)+thompson"}) {
    for (const std::size_t dim : {0U, 1U}) {
      const auto agent = make_agent(spec, setup_of(1, dim));
      Rng rng{Stream{}};
      const std::vector<double> x(dim, 0.5);
      for (int step = 0; step < 20; ++step) agent->learn(x, agent->choose(x, rng), -3.0);
      std::vector<double> probability(1);
      agent->probabilities(x, probability);
      EXPECT_NEAR(probability[0], 1.0, 1e-12) << spec;
      EXPECT_TRUE(std::isfinite(agent->values(x)[0])) << spec;
    }
  }
}

TEST(Linear, ContinuesTheSameAfterSaveAndLoad) {
  for (const char* spec : {"linear(intercept=true)+sau_sampling", "linear_posterior+thompson",
                           "linear_posterior(covariance=diagonal)+thompson", "linear+lin_ucb"}) {
    const auto agent = make_agent(spec, setup_of(3, 5));
    Rng rng(Stream{.seed = 3}), world(Stream{.seed = 4});
    std::vector<double> x(5);
    const auto step = [&](AnyAgent& learner, Rng& draws) {
      const Choice made = learner.choose(x, draws);
      learner.learn(x, made, x[0] + static_cast<double>(made.action));
      return made;
    };
    for (int n = 0; n < 100; ++n) {
      for (double& element : x) element = world.normal();
      step(*agent, rng);
    }
    StateWriter writer;
    agent->save(writer);
    const auto loaded = make_agent(spec, setup_of(3, 5));
    StateReader reader(writer.bytes());
    loaded->load(reader);
    reader.finish();
    Rng same = rng;
    for (int n = 0; n < 100; ++n) {
      for (double& element : x) element = world.normal();
      const Choice first = step(*agent, rng), second = step(*loaded, same);
      EXPECT_EQ(first.action, second.action) << spec;
      EXPECT_EQ(first.value, second.value) << spec;
    }
  }
}

TEST(Linear, MergedAgentsEqualTheWhole) {
  for (const char* spec : {"linear+sau_ucb", "linear_posterior+thompson",
                           "linear_posterior(covariance=diagonal,intercept=true)+thompson"}) {
    const auto whole = make_agent(spec, setup_of(2, 4));
    const auto first = make_agent(spec, setup_of(2, 4)), second = make_agent(spec, setup_of(2, 4));
    Rng world(Stream{.seed = 5});
    std::vector<double> x(4);
    for (int n = 0; n < 300; ++n) {
      for (double& element : x) element = world.normal();
      const Choice made{static_cast<Action>(n % 2), 0.0};
      const double reward = x[0] - x[1] + world.normal();
      whole->learn(x, made, reward);
      (n < 120 ? first : second)->learn(x, made, reward);
    }
    first->merge(*second);
    std::vector<double> merged(2), expected(2);
    EXPECT_NEAR(first->values(x)[0], whole->values(x)[0], 1e-12) << spec;
    first->probabilities(x, merged);
    whole->probabilities(x, expected);
    EXPECT_NEAR(merged[0], expected[0], 1e-9) << spec;
  }
}

}  // namespace
}  // namespace sau
