#pragma once

#include <cmath>

#include "sau/explore/strategy.hpp"

namespace sau {

struct Ucb1Options {
  double alpha = 1.0;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus; 1 in the paper", Bounds{.min = 0.0, .open = true});
  }
};

// UCB1 (Auer et al. 2002; Zhu & Rigotti 2021, appendix A.3): every action once, then
//     argmax_a  mu_a(x) + alpha * sqrt(2 ln n / n_a).
class Ucb1 {
 public:
  static constexpr std::string_view kName = "ucb1";
  static constexpr std::string_view kSummary = "value plus the bonus sqrt(2 ln n / n_a)";
  static constexpr bool kCountsSteps = true;
  using Options = Ucb1Options;

  explicit Ucb1(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

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
    const auto value = offer.values();
    const auto& evidence = offer.evidence();
    const auto width = evidence.width();
    const double scale = options_.alpha * std::sqrt(2.0 * log_step(offer.step()));
    return argmax_of(offer.size(), evidence.latest(),
                     [&](std::size_t a) { return value[a] + scale * width[a]; });
  }

  Options options_;
  Action actions_;
};

}  // namespace sau
