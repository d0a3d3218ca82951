#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/problem/placement.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

enum class BernoulliRewards { kBernoulli, kUniform };
constexpr std::array<std::string_view, 2> enum_names(BernoulliRewards) {
  return {"bernoulli", "uniform"};
}

struct BernoulliOptions {
  std::uint64_t actions = 10;
  double gap = 0.1;
  double mean = 0.5;
  std::string best{kRandomPlace};
  std::vector<double> means;
  BernoulliRewards rewards = BernoulliRewards::kBernoulli;
  void fields(auto&& field) {
    field("actions", actions, "number of actions", Bounds{.min = 1.0, .max = 1e6});
    field("gap", gap, "how much less every other action pays", Bounds{.min = 0.0, .max = 1.0});
    field("mean", mean, "success probability of the best action", Bounds{.min = 0.0, .max = 1.0});
    field("best", best, "the best action: random, drawn for each trial, or its number, from 0");
    field("means", means,
          "success probability of every action, such as 0.2x0.5x0.4, instead of the above",
          Bounds{.min = 0.0, .max = 1.0});
    field("rewards", rewards,
          "bernoulli: a coin of that probability; uniform: 1 when a Uniform[0,1] draw is at most "
          "the mean");
  }
  void check() const;
  void place_first() {
    if (means.empty() && best == kRandomPlace) best = "0";
  }
};

// Rewards 0 or 1 with fixed success probabilities (Zhu & Rigotti 2021, appendix A.3): the best
// action pays with probability 0.5, the others with 0.5 - gap. Each trial draws which action is the
// best; in the paper it is the first. Regret is expected: mu* - mu_a. The paper's 'uniform' bandit
// pays 1 when u <= mu_a, u ~ Uniform[0,1]: the same distribution, drawn in another way. A step
// takes one word of the generator whatever the action.
class Bernoulli final : public Problem {
 public:
  static constexpr std::string_view kName = "bernoulli";
  static constexpr std::string_view kSummary = "multi-armed problem, rewards 0 or 1 (appendix A.3)";
  using Options = BernoulliOptions;

  explicit Bernoulli(const Stream& stream, Options options = {});

  // The noise is the same wherever the best action is.
  static Options stream_options(Options options) {
    options.best = kRandomPlace;
    return options;
  }

  Shape shape() const override { return {static_cast<Action>(mean_.size()), 0}; }
  RewardRange rewards() const override { return {0.0, 1.0}; }
  std::uint64_t default_steps() const override { return 100'000; }

  Context next(Rng&) override { return {}; }
  double pull(Action action, Rng& rng) override {
    return rng.uniform() < threshold_[action] ? 1.0 : 0.0;
  }
  double regret(Action action) const override { return regret_[action]; }

 private:
  std::vector<double> mean_, regret_;
  std::vector<double> threshold_;  // a draw of [0, 1) below it pays
};

}  // namespace sau
