#pragma once

#include "sau/explore/strategy.hpp"

namespace sau {

// Always plays argmax_a mu_a(x): no exploration beyond what the model's initial values cause.
class Greedy {
 public:
  static constexpr std::string_view kName = "greedy";
  static constexpr std::string_view kSummary = "the action with the largest predicted value";
  using Options = NoOptions;

  explicit Greedy(const Setup& setup, Options = {}) : actions_(setup.shape.actions) {}

  static bool explores(const Options&) { return false; }

  NoEvidence evidence() const { return NoEvidence(actions_); }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    return choose_best(offer, 0.0, rng, [&] { return argmax(offer.values()); });
  }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    best_probabilities(offer, 0.0, argmax(offer.values()), out);
  }

 private:
  Action actions_;
};

}  // namespace sau
