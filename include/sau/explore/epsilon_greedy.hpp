#pragma once

#include <algorithm>
#include <cmath>

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
  // epsilon after this many steps.
  double after(std::uint64_t steps) const noexcept {
    return std::max(floor, epsilon * std::pow(decay, static_cast<double>(steps)));
  }
  void check() const {
    if (floor > epsilon) {
      throw UsageError("epsilon_greedy: floor=" + format_number(floor) +
                       " is not allowed; expected at most epsilon, " + format_number(epsilon));
    }
  }
};

// epsilon of the next step, and how many actions there are.
class Annealing {
 public:
  Annealing(std::size_t actions, const EpsilonGreedyOptions& options)
      : actions_(actions), options_(options), epsilon_(options.epsilon) {}

  std::size_t actions() const noexcept { return actions_; }
  double epsilon() const noexcept { return epsilon_; }
  void observe(Action, double) noexcept {}
  void stepped() noexcept { epsilon_ = std::max(options_.floor, epsilon_ * options_.decay); }
  // Sets epsilon to its value after this many steps, such as the sum of merged runs.
  void anneal(std::uint64_t steps) noexcept { epsilon_ = options_.after(steps); }
  void merge(const Annealing&) noexcept {}
  static void state(auto& self, auto&& field) { field("epsilon", self.epsilon_); }

 private:
  std::size_t actions_;
  EpsilonGreedyOptions options_;
  double epsilon_;
};

// At step n, with probability  eps_n = max(floor, epsilon * decay^(n-1))  a uniform choice among
// all actions, otherwise argmax_a mu_a(x) (Zhu & Rigotti 2021, appendix E; the paper's settings
// are epsilon = 0.046 and decay = 0.93). A caller that asks for a share of uniform choices, as the
// service does, gets that share instead of eps_n.
class EpsilonGreedy {
 public:
  static constexpr std::string_view kName = "epsilon_greedy";
  static constexpr std::string_view kSummary =
      "a uniform choice with probability epsilon, otherwise the largest value";
  static constexpr bool kCountsSteps = true;
  using Options = EpsilonGreedyOptions;

  explicit EpsilonGreedy(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  static bool explores(const Options& options) {
    return options.epsilon > 0.0 || options.initial_pulls > 0;
  }

  Annealing evidence() const { return {actions_, options_}; }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    if (offer.in_opening(options_.initial_pulls)) return offer.opening_action();
    const bool explore = rng.uniform() < epsilon(offer);
    return explore ? static_cast<Action>(rng.below(offer.size())) : argmax(offer.values());
  }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    if (offer.in_opening(options_.initial_pulls)) {
      point_mass(offer.opening_action(), out);
    } else {
      best_probabilities(offer, epsilon(offer), argmax(offer.values()), out);
    }
  }

 private:
  double epsilon(const auto& offer) const noexcept {
    if constexpr (requires { offer.evidence().epsilon(); }) {
      return offer.evidence().epsilon();
    } else {
      return offer.share(options_.after(offer.step() - 1));
    }
  }

  Options options_;
  Action actions_;
};

}  // namespace sau
