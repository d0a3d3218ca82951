#pragma once

#include "sau/core/argmax.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

// Plays argmax_a mu_a(x), always: no exploration beyond what the model's start gives.
class Greedy {
 public:
  static constexpr std::string_view kName = "greedy";
  static constexpr std::string_view kSummary = "the action with the largest predicted value";
  using Options = NoOptions;

  explicit Greedy(const Setup&, Options = {}) {}

  template <ValueModel M>
  Choice choose(M& model, Context x, Rng&) noexcept {
    const auto value = model.values(x);
    const Action action = argmax(value);
    return {action, value[action]};
  }

  void observe(Action, double) noexcept {}

  template <ValueModel M>
  void probabilities(M& model, Context x, std::span<double> out) const noexcept {
    point_mass(argmax(model.values(x)), out);
  }

  void merge(const Greedy&) noexcept {}

  static void state(auto&, auto&&) {}
};

}  // namespace sau
