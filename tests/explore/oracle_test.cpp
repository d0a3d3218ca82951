// The fast strategies against naive ones, written directly from the formulas: everything is
// computed anew at every step from the whole history. Rewards are continuous, so no two indices are
// equal and every single action must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/explore/sau_sampling.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "sau/explore/ucb1.hpp"
#include "sau/model/sample_mean.hpp"

namespace sau {
namespace {

constexpr int kSteps = 2000;

struct Step {
  Action action;
  double reward;
};

struct Sums {
  double count = 0.0;    // n_a
  double mean = 0.0;     // of the rewards of the action
  double squares = 1.0;  // S2_a
};

// The residual of a reward is its difference from the mean of the rewards before it, which is 0 for
// the first.
Sums sums_of(Action action, const std::vector<Step>& history) {
  Sums sums;
  double total = 0.0;
  for (const Step& step : history) {
    if (step.action != action) continue;
    const double residual = step.reward - sums.mean;
    sums.squares += residual * residual;
    sums.count += 1.0;
    total += step.reward;
    sums.mean = total / sums.count;
  }
  return sums;
}

// The index of an action from its sums at step n.
using Index = std::function<double(const Sums&, double n)>;

Action oracle_choice(const std::vector<Step>& history, Action actions, const Index& index) {
  const std::size_t n = history.size() + 1;
  if (n <= actions) return static_cast<Action>(n - 1);
  std::vector<double> scores;
  for (Action a = 0; a < actions; ++a) {
    scores.push_back(index(sums_of(a, history), static_cast<double>(n)));
  }
  return static_cast<Action>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

Setup setup_of(Action actions) { return {.shape = {.actions = actions}, .stream = {}}; }

// Rewards that do not depend on what is played: action a pays mean_a plus the step's noise.
double reward_of(Action action, int step, std::uint64_t seed) {
  Rng rng({.seed = seed, .trial = static_cast<std::uint64_t>(step), .scope = action});
  return 0.1 * static_cast<double>(action % 5) - 0.2 + 0.7 * rng.normal();
}

template <class S>
void expect_same_actions(const Index& index) {
  for (const Action actions : {1U, 2U, 3U, 7U, 20U}) {
    const std::uint64_t seed = 100 + actions;
    const auto setup = setup_of(actions);
    Agent agent{SampleMean{setup}, S{setup}};
    Rng rng({.seed = seed, .role = Role::kAgent});
    std::vector<Step> history;
    for (int n = 0; n < kSteps; ++n) {
      const Choice made = agent.choose({}, rng);
      ASSERT_EQ(made.action, oracle_choice(history, actions, index))
          << "K = " << actions << ", step " << n + 1;
      const double reward = reward_of(made.action, n, seed);
      agent.learn({}, made, reward);
      history.push_back({made.action, reward});
    }
  }
}

TEST(Oracle, SauUcbPlaysEquation7) {
  expect_same_actions<SauUcb>([](const Sums& a, double n) {
    return a.mean + std::sqrt(a.squares * std::log(n)) / a.count;
  });
}

TEST(Oracle, Ucb1PlaysItsFormula) {
  expect_same_actions<Ucb1>(
      [](const Sums& a, double n) { return a.mean + std::sqrt(2.0 * std::log(n) / a.count); });
}

TEST(Oracle, SauSamplingPlaysEquation8OnTheSameNormals) {
  for (const Action actions : {1U, 2U, 3U, 7U, 20U}) {
    const std::uint64_t seed = 100 + actions;
    // The agent's own stream, one normal per action in order.
    Rng same({.seed = seed, .role = Role::kAgent});
    const auto setup = setup_of(actions);
    Agent agent{SampleMean{setup}, SauSampling{setup}};
    Rng rng({.seed = seed, .role = Role::kAgent});
    const Index index = [&](const Sums& a, double) {
      const double tau2 = a.squares / a.count;
      return a.mean + std::sqrt(tau2 / a.count) * same.normal();
    };
    std::vector<Step> history;
    for (int n = 0; n < kSteps; ++n) {
      const Choice made = agent.choose({}, rng);
      ASSERT_EQ(made.action, oracle_choice(history, actions, index))
          << "K = " << actions << ", step " << n + 1;
      const double reward = reward_of(made.action, n, seed);
      agent.learn({}, made, reward);
      history.push_back({made.action, reward});
    }
    EXPECT_EQ(rng.position(), same.position());
  }
}

}  // namespace
}  // namespace sau
