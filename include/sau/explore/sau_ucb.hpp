#pragma once

#include <cmath>

#include "sau/explore/sau_state.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct SauUcbOptions {
  double alpha = 1.0;
  std::uint64_t initial_pulls = 1;
  double floor = 0.0;
  SauPrior prior = {};
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus; 1 in the paper", Bounds{.min = 0.0, .open = true});
    field("initial_pulls", initial_pulls, "opening rounds that play every action in turn",
          Bounds{.min = 1.0, .max = 1e6});
    field("floor", floor, "share of uniform choices, for logs that need every probability above 0",
          Bounds{.min = 0.0, .max = 1.0});
    prior.fields(field);
  }
  void check() const { prior.check("sau_ucb"); }
};

// SAU-UCB (Zhu & Rigotti 2021, eq. 7, algorithm 1): plays
//     argmax_a  mu_a(x) + alpha * sqrt(S2_a * ln n) / n_a.
// One log and one sqrt per step, not per action, unless pool is set. An action whose rewards are
// all still on their way has an infinite index. A committee's disagreement is added to mu_a.
class SauUcb {
 public:
  static constexpr std::string_view kName = "sau_ucb";
  static constexpr std::string_view kSummary =
      "SAU-UCB: value plus the bonus sqrt(S2_a ln n) / n_a (eq. 7)";
  static constexpr bool kCountsSteps = true;
  using Options = SauUcbOptions;

  explicit SauUcb(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  SauState evidence() const { return SauState(actions_, 1.0, options_.prior); }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    return choose_best(offer, options_.floor, rng, [&] { return best(offer); });
  }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    best_probabilities(offer, options_.floor, best(offer), out);
  }

 private:
  Action best(const auto& offer) const noexcept {
    if (offer.in_opening(options_.initial_pulls)) return offer.opening_action();
    const OptimisticValues value(offer, options_.prior.disagreement);
    const auto& evidence = offer.evidence();
    const auto width = evidence.width();
    const double scale = options_.alpha * std::sqrt(evidence.log_n(offer.step()));
    return argmax_of(offer.size(), evidence.latest(),
                     [&](std::size_t a) { return value(a) + scale * width[a]; });
  }

  Options options_;
  Action actions_;
};

}  // namespace sau
