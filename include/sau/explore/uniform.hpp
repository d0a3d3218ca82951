#pragma once

#include "sau/explore/strategy.hpp"

namespace sau {

// Every action with the same probability: the paper's Uniform, the baseline of its tables.
class Uniform {
 public:
  static constexpr std::string_view kName = "uniform";
  static constexpr std::string_view kSummary = "every action with the same probability";
  using Options = NoOptions;

  explicit Uniform(const Setup& setup, Options = {}) : actions_(setup.shape.actions) {}

  NoEvidence evidence() const { return NoEvidence(actions_); }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    return static_cast<Action>(rng.below(offer.size()));
  }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    std::ranges::fill(out, 1.0 / static_cast<double>(offer.size()));
  }

 private:
  Action actions_;
};

}  // namespace sau
