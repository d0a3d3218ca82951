#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "sau/core/bernoulli_kl.hpp"
#include "sau/explore/counting_index.hpp"

namespace sau {

struct KlUcbOptions {
  double c = 0.0;
  void fields(auto&& field) {
    field("c", c, "adds c * ln(ln n) to ln n; 3 in the proof, 0 in practice",
          Bounds{.min = 0.0, .max = 1e6});
  }
};

// KL-UCB for rewards in [0, 1] (Garivier & Cappe 2011, algorithm 1): every action once, then the
// largest index
//     max { q in [mu_a(x), 1] : n_a kl(mu_a(x), q) <= ln n + c ln(ln n) },
// with kl the divergence of two coins. A value outside [0, 1], as a regression may predict, counts
// as the nearest end.
class KlUcb : public CountingIndex<KlUcb> {
 public:
  static constexpr std::string_view kName = "kl_ucb";
  static constexpr std::string_view kSummary =
      "KL-UCB: the largest mean that the rewards of an action allow, rewards in [0, 1]";
  static constexpr bool kCountsSteps = true;
  static constexpr RewardRange kRewards{0.0, 1.0};
  using Options = KlUcbOptions;

  explicit KlUcb(const Setup& setup, Options options = {})
      : CountingIndex(setup), options_(options) {}

  Action largest(const auto& offer) const noexcept {
    const auto value = offer.values();
    const auto& evidence = offer.evidence();
    const auto width = evidence.width();  // 1 / sqrt(n_a)
    const double log_n = log_step(offer.step());
    // ln(ln n) is negative for n = 2, where there is hardly anything to explore.
    const double budget = log_n + options_.c * std::max(std::log(log_n), 0.0);
    return argmax_of(offer.size(), [&](std::size_t a) {
      // An action without a reward comes first, also before one whose index is 1.
      if (width[a] == std::numeric_limits<double>::infinity()) return 2.0;
      return bernoulli_kl_bound(value[a], budget * width[a] * width[a]);
    });
  }

 private:
  Options options_;
};

}  // namespace sau
