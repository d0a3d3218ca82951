// NeuralUCB, NeuralTS and SquareCB against naive implementations that share no code with the
// library except the network in double: full gradients, the whole history expanded, other random
// numbers for the agents. Both meet the same contexts and the same noise in every trial. Seeds are
// fixed, so a test always passes or always fails. The sizes, and the band of three standard errors
// of the mean difference, were fixed before the first run.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/naive_mlp.hpp"
#include "sau/agent/agent.hpp"
#include "sau/explore/lin_ucb.hpp"
#include "sau/explore/squarecb.hpp"
#include "sau/explore/thompson.hpp"
#include "sau/explore/uniform.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/neural_gradient.hpp"
#include "sau/stats/summary.hpp"

namespace sau::rivals_test {
namespace {

using testing::NaiveMlp;
using testing::PlainBatch;

constexpr Action kActions = 3;
constexpr std::size_t kDim = 2;
constexpr int kSteps = 400;
constexpr std::uint64_t kTrials = 200;
constexpr double kLambda = 0.2, kScale = 0.5;
const std::vector<std::size_t> kHidden{12};

// What a trial meets, whatever is played.
struct Step {
  std::vector<double> x;
  double noise = 0.0;
};
std::vector<Step> steps_of(std::uint64_t trial) {
  Rng rng({.seed = 21, .trial = trial});
  std::vector<Step> steps(kSteps);
  for (Step& step : steps) {
    step.x = {2.0 * rng.uniform() - 1.0, 2.0 * rng.uniform() - 1.0};
    step.noise = 0.2 * rng.normal();
  }
  return steps;
}

// Quadrants: action 0 is good if the signs agree, 1 if they differ, 2 is in between.
double mean_reward(const std::vector<double>& x, Action action) {
  const double product = 4.0 * x[0] * x[1];
  return action == 0 ? product : action == 1 ? -product : 0.2;
}
// A world that a linear model can learn.
double linear_reward(const std::vector<double>& x, Action action) {
  return action == 0 ? x[0] : action == 1 ? x[1] : -0.5 * (x[0] + x[1]);
}
using Mean = double (*)(const std::vector<double>&, Action);

double regret_of_step(Mean mean, const std::vector<double>& x, Action action) {
  double best = mean(x, 0);
  for (Action a = 1; a < kActions; ++a) best = std::max(best, mean(x, a));
  return best - mean(x, action);
}

template <class M, class S>
double our_trial(std::uint64_t trial, Mean mean, const typename M::Options& model,
                 const typename S::Options& strategy = {}) {
  const Setup setup{.shape = {.actions = kActions, .dim = kDim},
                    .stream = {.seed = 1, .trial = trial}};
  Agent agent{M(setup, model), S(setup, strategy)};
  Rng rng(setup.stream.with(Role::kAgent));
  double regret = 0.0;
  for (const Step& step : steps_of(trial)) {
    const Choice made = agent.choose(step.x, rng);
    regret += regret_of_step(mean, step.x, made.action);
    agent.learn(step.x, made, mean(step.x, made.action) + step.noise);
  }
  return regret;
}

NeuralGradientOptions network_options() {
  NeuralGradientOptions options;
  options.hidden = {12};
  options.batch = 16;
  options.every = 10;
  options.start = 20;
  options.input = MlpInput::kDisjoint;
  options.lambda = kLambda;
  options.nu = kScale;
  return options;
}

std::vector<double> block(const std::vector<double>& x, Action action) {
  std::vector<double> result(kActions * kDim);
  for (std::size_t i = 0; i < kDim; ++i) result[action * kDim + i] = x[i];
  return result;
}

// One network on the blocks; U has one number per weight.
double naive_neural_trial(std::uint64_t trial, bool sampling) {
  std::mt19937_64 random(900 + trial);
  const auto uniform = [&](double bound) {
    return std::uniform_real_distribution<>(-bound, bound)(random);
  };
  const auto normal = [&] { return std::normal_distribution<>()(random); };
  const Shape shape{.actions = 1, .dim = kActions * kDim};
  const std::vector<float> zeros(7 * 16 + 16 + 8);
  NaiveMlp mlp(shape, kHidden, zeros);
  for (std::size_t k = 0; k < mlp.weight.size(); ++k) {
    mlp.weight[k] = uniform(1.0 / std::sqrt(k < 7 * 12 ? 6.0 : 12.0));
  }
  std::vector<double> u(mlp.weight.size(), kLambda);
  const auto gradient = [&](const std::vector<double>& input) {
    return mlp.gradient({.x = {input}, .action = {0}, .reward = {mlp.outputs(input)[0] - 0.5}});
  };
  PlainBatch seen;
  double regret = 0.0;
  int n = 0;
  for (const Step& step : steps_of(trial)) {
    ++n;
    Action action = 0;
    double best = -INFINITY;
    for (Action a = 0; a < kActions; ++a) {
      const auto input = block(step.x, a);
      const auto g = gradient(input);
      double form = 0.0;
      for (std::size_t k = 0; k < g.size(); ++k) form += kLambda * g[k] * g[k] / 12.0 / u[k];
      const double index =
          mlp.outputs(input)[0] + kScale * std::sqrt(form) * (sampling ? normal() : 1.0);
      if (index > best) {
        best = index;
        action = a;
      }
    }
    regret += regret_of_step(mean_reward, step.x, action);
    const auto input = block(step.x, action);
    const auto g = gradient(input);
    for (std::size_t k = 0; k < g.size(); ++k) u[k] += g[k] * g[k] / 12.0;
    seen.x.push_back(input);
    seen.action.push_back(0);
    seen.reward.push_back(mean_reward(step.x, action) + step.noise);
    if (n < 20 || n % 10 != 0) continue;
    for (int update = 0; update < 10; ++update) {
      PlainBatch batch;
      for (int r = 0; r < 16; ++r) {
        const auto i = std::uniform_int_distribution<std::size_t>(0, seen.x.size() - 1)(random);
        batch.x.push_back(seen.x[i]);
        batch.action.push_back(0);
        batch.reward.push_back(seen.reward[i]);
      }
      mlp.rmsprop(batch, 0.003);
    }
  }
  return regret;
}

// Ridge regressions solved anew at every step, and inverse gap weighting from the paper's text.
double naive_squarecb_trial(std::uint64_t trial) {
  std::mt19937_64 random(700 + trial);
  std::vector<Eigen::Matrix2d> precision(kActions, Eigen::Matrix2d::Identity());
  std::vector<Eigen::Vector2d> product(kActions, Eigen::Vector2d::Zero());
  double regret = 0.0;
  int n = 0;
  for (const Step& step : steps_of(trial)) {
    const double gamma = 10.0 * std::sqrt(static_cast<double>(++n));
    const Eigen::Vector2d x(step.x[0], step.x[1]);
    std::vector<double> value;
    for (Action a = 0; a < kActions; ++a) {
      value.push_back(x.dot(precision[a].llt().solve(product[a])));
    }
    const auto best = std::max_element(value.begin(), value.end());
    std::vector<double> chance;
    double left = 1.0;
    for (const double v : value) {
      chance.push_back(1.0 / (static_cast<double>(kActions) + gamma * (*best - v)));
      left -= chance.back();
    }
    chance[static_cast<std::size_t>(best - value.begin())] += left;
    const auto action =
        static_cast<Action>(std::discrete_distribution<int>(chance.begin(), chance.end())(random));
    regret += regret_of_step(linear_reward, step.x, action);
    precision[action] += x * x.transpose();
    product[action] += (linear_reward(step.x, action) + step.noise) * x;
  }
  return regret;
}

// The mean difference is within three standard errors of 0, and far from that of uniform play.
template <class Ours, class Naive>
void expect_same_regret(const Ours& ours, const Naive& naive, Mean mean) {
  std::vector<double> difference, mine, uniform;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    mine.push_back(ours(trial));
    difference.push_back(mine.back() - naive(trial));
    uniform.push_back(our_trial<Linear, Uniform>(trial, mean, {}));
  }
  const Summary summary = summarise(difference), own = summarise(mine);
  EXPECT_NEAR(summary.mean, 0.0, 3.0 * summary.sem)
      << "ours " << own.mean << " +- " << own.sem << ", minus naive " << summary.mean << " +- "
      << summary.sem;
  EXPECT_LT(own.mean, 0.6 * summarise(uniform).mean);
  ::testing::Test::RecordProperty("ours", std::to_string(own.mean));
  ::testing::Test::RecordProperty("difference", std::to_string(summary.mean));
  ::testing::Test::RecordProperty("standard_error", std::to_string(summary.sem));
}

TEST(RivalStatistics, NeuralUcbMatchesTheNaiveImplementation) {
  expect_same_regret(
      [](std::uint64_t trial) {
        return our_trial<NeuralGradient, LinUcb>(trial, mean_reward, network_options(),
                                                 {.alpha = kScale});
      },
      [](std::uint64_t trial) { return naive_neural_trial(trial, false); }, mean_reward);
}

TEST(RivalStatistics, NeuralTsMatchesTheNaiveImplementation) {
  expect_same_regret(
      [](std::uint64_t trial) {
        return our_trial<NeuralGradient, Thompson>(trial, mean_reward, network_options());
      },
      [](std::uint64_t trial) { return naive_neural_trial(trial, true); }, mean_reward);
}

TEST(RivalStatistics, SquareCbMatchesTheNaiveImplementation) {
  expect_same_regret(
      [](std::uint64_t trial) { return our_trial<Linear, SquareCb>(trial, linear_reward, {}); },
      naive_squarecb_trial, linear_reward);
}

}  // namespace
}  // namespace sau::rivals_test
