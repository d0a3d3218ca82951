#pragma once

#include <algorithm>
#include <cmath>

#include "sau/core/argmax.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct EpsilonGreedyOptions {
  double epsilon = 0.1;
  double decay = 1.0;
  double floor = 0.0;
  std::uint64_t initial_pulls = 0;
  void fields(auto&& field) {
    field("epsilon", epsilon, "probability of a uniform choice at the first step",
          Bounds{.min = 0.0, .max = 1.0});
    field("decay", decay, "factor on epsilon after every step; 1 keeps it",
          Bounds{.min = 0.0, .max = 1.0});
    field("floor", floor, "epsilon never falls below this", Bounds{.min = 0.0, .max = 1.0});
    field("initial_pulls", initial_pulls, "opening rounds that play every action in turn",
          Bounds{.min = 0.0, .max = 1e6});
  }
  void check() const {
    if (floor > epsilon) {
      throw UsageError("epsilon_greedy: floor=" + format_number(floor) +
                       " is not allowed; expected at most epsilon, " + format_number(epsilon));
    }
  }
};

// At step n, with probability  eps_n = max(floor, epsilon * decay^(n-1))  a uniform choice among
// all actions, otherwise argmax_a mu_a(x) (Zhu & Rigotti 2021, appendix E; the paper's settings
// are epsilon = 0.046 and decay = 0.93).
class EpsilonGreedy {
 public:
  static constexpr std::string_view kName = "epsilon_greedy";
  static constexpr std::string_view kSummary =
      "a uniform choice with probability epsilon, otherwise the largest value";
  using Options = EpsilonGreedyOptions;

  explicit EpsilonGreedy(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions), epsilon_(options.epsilon) {}

  template <ValueModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    const auto value = model.values(x);
    const std::uint64_t n = ++step_;
    Action action = 0;
    if (in_opening(n, options_.initial_pulls, actions_)) {
      action = opening_action(n, actions_);
    } else {
      const bool explore = rng.uniform() < epsilon_;
      action = explore ? static_cast<Action>(rng.below(actions_)) : argmax(value);
    }
    epsilon_ = std::max(options_.floor, epsilon_ * options_.decay);
    return {action, value[action]};
  }

  void observe(Action, double) noexcept {}

  template <ValueModel M>
  void probabilities(M& model, Context x, std::span<double> out) const noexcept {
    if (in_opening(step_ + 1, options_.initial_pulls, actions_)) {
      point_mass(opening_action(step_ + 1, actions_), out);
      return;
    }
    point_mass(argmax(model.values(x)), out);
    mix_uniform(epsilon_, out);
  }

  void step_back() noexcept {
    --step_;
    anneal();
  }

  // Steps taken apart anneal together.
  void merge(const EpsilonGreedy& other) noexcept {
    step_ += other.step_;
    anneal();
  }

  static void state(auto& self, auto&& field) {
    field("step", self.step_);
    field("epsilon", self.epsilon_);
  }

 private:
  // The epsilon after step_ steps.
  void anneal() noexcept {
    epsilon_ = std::max(options_.floor,
                        options_.epsilon * std::pow(options_.decay, static_cast<double>(step_)));
  }

  Options options_;
  Action actions_;
  std::uint64_t step_ = 0;
  double epsilon_;
};

}  // namespace sau
