#include "sau/explore/sau_sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/model/sample_mean.hpp"
#include "support/fixed_values.hpp"
#include "support/normal_cdf.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;
using testing::FixedValues;
using testing::normal_cdf;

// A strategy after its initial pulls, with the given residuals for every action.
Explorer<SauSampling> after(FixedValues& model, const std::vector<std::vector<double>>& residuals,
                            SauSamplingOptions options = {}) {
  Explorer<SauSampling> sampling(actions(static_cast<Action>(residuals.size())), options);
  Rng unused({.seed = 0});
  for (std::size_t n = 0; n < options.initial_pulls * residuals.size(); ++n) {
    sampling.choose(model, {}, unused);
  }
  for (std::size_t a = 0; a < residuals.size(); ++a) {
    for (const double e : residuals[a]) sampling.observe(static_cast<Action>(a), e);
  }
  return sampling;
}

TEST(SauSampling, OpensWithEveryActionInOrderAndDrawsNothing) {
  Explorer<SauSampling> sampling(actions(3), {.initial_pulls = 2});
  FixedValues model({9.0, 0.0, 0.0});
  Rng rng({.seed = 1});
  for (const Action expected : {0U, 1U, 2U, 0U, 1U, 2U}) {
    const Choice made = sampling.choose(model, {}, rng);
    EXPECT_EQ(made.action, expected);
    sampling.observe(made.action, 0.0);
  }
  EXPECT_EQ(rng.position(), 0U);
}

// Replays the stream: index_a = mu_a + sqrt(S2_a) / n_a * z_a, one normal per action in order.
TEST(SauSampling, IndexIsEquation8) {
  FixedValues model({0.1, 0.2, 0.15});
  auto sampling = after(model, {{1.0, 0.5}, {0.0}, {-2.0, 0.0, 1.0}});
  const double width[] = {std::sqrt(2.25) / 2.0, 1.0, std::sqrt(6.0) / 3.0};
  Rng rng({.seed = 7}), same({.seed = 7});
  for (int n = 0; n < 2000; ++n) {
    Action best = 0;
    double top = -INFINITY;
    for (Action a = 0; a < 3; ++a) {
      const double index = model[a] + width[a] * same.normal();
      if (index > top) top = index, best = a;
    }
    ASSERT_EQ(sampling.choose(model, {}, rng).action, best) << n;
  }
}

// P(action 1) = Phi((mu_1 - mu_0) / sqrt(w_0^2 + w_1^2)),  w^2 = S2 / n^2.
TEST(SauSampling, FrequencyMatchesTwoNormals) {
  FixedValues model({0.3, 0.5});
  auto sampling = after(model, {{1.0, 1.0}, {0.5}});  // w2: 3 / 4 and 1.25
  const double expected = normal_cdf(0.2 / std::sqrt(0.75 + 1.25));
  std::vector<double> chance(2);
  sampling.probabilities(model, {}, chance);
  EXPECT_NEAR(chance[1], expected, 1e-9);
  Rng rng({.seed = 12});
  const int draws = 100'000;
  int ones = 0;
  for (int n = 0; n < draws; ++n) ones += sampling.choose(model, {}, rng).action == 1 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(ones) / draws, expected,
              5.0 * std::sqrt(expected * (1.0 - expected) / draws));
}

TEST(SauSampling, AlphaScalesTheStandardDeviation) {
  FixedValues model({0.3, 0.5});
  const auto sampling = after(model, {{1.0, 1.0}, {0.5}}, {.alpha = 0.1});
  std::vector<double> chance(2);
  sampling.probabilities(model, {}, chance);
  EXPECT_NEAR(chance[1], normal_cdf(0.2 / (0.1 * std::sqrt(2.0))), 1e-9);
}

TEST(SauSampling, ReportsTheValueWithoutTheNoise) {
  FixedValues model({0.3, 0.7});
  auto sampling = after(model, {{1.0}, {1.0}});
  Rng rng({.seed = 2});
  for (int n = 0; n < 20; ++n) {
    const Choice made = sampling.choose(model, {}, rng);
    EXPECT_EQ(made.value, model[made.action]);
  }
}

TEST(SauSampling, ActionsWithoutARewardShareTheChoiceEqually) {
  FixedValues model({100.0, 0.0, -5.0, 0.0, 0.0});
  auto sampling = after(model, {{0.0}, {}, {0.0}, {}, {}});
  std::vector<double> chance(5);
  sampling.probabilities(model, {}, chance);
  const std::vector<double> expected = {0.0, 1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0};
  EXPECT_EQ(chance, expected);
  Rng rng({.seed = 3});
  const int draws = 60'000;
  std::vector<int> count(5);
  for (int n = 0; n < draws; ++n) ++count[sampling.choose(model, {}, rng).action];
  for (std::size_t a = 0; a < 5; ++a) {
    EXPECT_NEAR(static_cast<double>(count[a]) / draws, expected[a],
                5.0 * std::sqrt(expected[a] * (1.0 - expected[a]) / draws));
  }
}

TEST(SauSampling, ResidualUsesTheValueAtChoiceTime) {
  Agent agent{SampleMean{actions(1)}, SauSampling{actions(1)}};
  Rng rng({.seed = 1});
  const Choice first = agent.choose({}, rng), second = agent.choose({}, rng);
  agent.learn({}, first, 1.0);
  agent.learn({}, second, 0.5);  // residual 0.5 - 0, not 0.5 - 1
  EXPECT_EQ(agent.explorer().evidence().square(0), 2.25);
}

TEST(SauSampling, MergeAddsStepsAndState) {
  FixedValues model({0.1, 0.2});
  auto left = after(model, {{1.0}, {2.0}});
  const auto right = after(model, {{0.5, 0.5}, {}});
  const auto whole = after(model, {{1.0, 0.5, 0.5}, {2.0}});
  left.merge(right);
  std::vector<double> merged(2), expected(2);
  left.probabilities(model, {}, merged);
  whole.probabilities(model, {}, expected);
  EXPECT_NEAR(merged[0], expected[0], 1e-12);
}

}  // namespace
}  // namespace sau
