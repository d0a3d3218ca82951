#pragma once

#include "sau/explore/strategy.hpp"

namespace sau {

// What UCB1 and KL-UCB have in common: they play every action once, then always the one with the
// largest index. The index depends on the action's value and on how many rewards it had.
// S::largest(offer) is the action with the largest index.
template <class S>
class CountingIndex {
 public:
  explicit CountingIndex(const Setup& setup) : actions_(setup.shape.actions) {}

  PullCounts evidence() const { return PullCounts(actions_); }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    return choose_best(offer, 0.0, rng, [&] { return best(offer); });
  }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    best_probabilities(offer, 0.0, best(offer), out);
  }

 private:
  Action best(const auto& offer) const noexcept {
    if (offer.in_opening(1)) return offer.opening_action();
    return static_cast<const S&>(*this).largest(offer);
  }

  Action actions_;
};

}  // namespace sau
