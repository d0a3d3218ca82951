#pragma once

#include "sau/explore/strategy.hpp"

namespace sau {

struct LinUcbOptions {
  double alpha = 1.0;
  double floor = 0.0;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus", Bounds{.min = 0.0, .open = true});
    field("floor", floor, "share of uniform choices, for logs that need every probability above 0",
          Bounds{.min = 0.0, .max = 1.0});
  }
};

// LinUCB with disjoint models (Li et al. 2010, algorithm 1): plays
//     argmax_a  x' theta_a + alpha * sqrt(x' Lambda_a^-1 x).
// The paper does not have it, but a user of linear bandits expects it.
class LinUcb {
 public:
  static constexpr std::string_view kName = "lin_ucb";
  static constexpr std::string_view kSummary =
      "LinUCB: value plus the bonus alpha sqrt(x' Lambda_a^-1 x)";
  static constexpr std::string_view kNeeds = "a model with widths";
  template <class M>
  static constexpr bool kFits = WidthModel<M>;
  using Options = LinUcbOptions;

  explicit LinUcb(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  NoEvidence evidence() const { return NoEvidence(actions_); }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    return choose_best(offer, options_.floor, rng, [&] { return best(offer); });
  }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    best_probabilities(offer, options_.floor, best(offer), out);
  }

 private:
  Action best(const auto& offer) const noexcept {
    const auto width = offer.widths();
    const auto value = offer.values();
    return argmax_of(offer.size(),
                     [&](std::size_t a) { return options_.alpha * width[a] + value[a]; });
  }

  Options options_;
  Action actions_;
};

}  // namespace sau
