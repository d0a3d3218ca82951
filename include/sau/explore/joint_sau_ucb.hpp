#pragma once

#include <cmath>

#include "sau/explore/joint_strategy.hpp"

namespace sau {

struct JointSauUcbOptions {
  double alpha = 1.0;
  std::uint64_t actions = kUsualActions;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus; 1 in the paper", Bounds{.min = 0.0, .open = true});
    field("actions", actions, kActionsHelp, kActionsBounds);
  }
};

// SAU-UCB (Zhu & Rigotti 2021, eq. 7) over the actions offered:
//     argmax_a  mu(x, a) + alpha * sqrt(S2_a * ln n) / n_a,
// n being one more than the rewards learned from, and at least 2 so that there is a bonus at the
// very first choice. Mixed with uniform by the exploration asked for.
class JointSauUcb {
 public:
  static constexpr std::string_view kName = "sau_ucb";
  static constexpr std::string_view kSummary =
      "SAU-UCB: value plus the bonus sqrt(S2_a ln n) / n_a (eq. 7)";
  using Options = JointSauUcbOptions;

  explicit JointSauUcb(Options options = {}) : options_(options) {}

  void probabilities(const JointOffer& offer, std::span<double> out) const noexcept {
    const auto n = static_cast<double>(std::max<std::uint64_t>(offer.learned + 1, 2));
    const double scale = options_.alpha * std::sqrt(std::log(n));
    mostly_largest(offer, out,
                   [&](std::size_t a) { return offer.value[a] + scale * offer.spread[a]; });
  }

 private:
  Options options_;
};

}  // namespace sau
