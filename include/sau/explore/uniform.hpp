#pragma once

#include <algorithm>

#include "sau/explore/strategy.hpp"

namespace sau {

// Every action with the same probability: the paper's Uniform, the yardstick of its tables.
class Uniform {
 public:
  static constexpr std::string_view kName = "uniform";
  static constexpr std::string_view kSummary = "every action with the same probability";
  using Options = NoOptions;

  explicit Uniform(const Setup& setup, Options = {}) : actions_(setup.shape.actions) {}

  template <ValueModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    const auto action = static_cast<Action>(rng.below(actions_));
    return {action, model.values(x)[action]};
  }

  void observe(Action, double) noexcept {}

  template <ValueModel M>
  void probabilities(M&, Context, std::span<double> out) const noexcept {
    std::ranges::fill(out, 1.0 / static_cast<double>(actions_));
  }

  void merge(const Uniform&) noexcept {}

  static void state(auto&, auto&&) {}

 private:
  Action actions_;
};

}  // namespace sau
