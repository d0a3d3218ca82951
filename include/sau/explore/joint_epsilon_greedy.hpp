#pragma once

#include "sau/explore/joint_strategy.hpp"

namespace sau {

struct JointEpsilonGreedyOptions {
  std::uint64_t actions = kUsualActions;
  void fields(auto&& field) { field("actions", actions, kActionsHelp, kActionsBounds); }
};

// The largest value, mixed with uniform by the exploration asked for.
class JointEpsilonGreedy {
 public:
  static constexpr std::string_view kName = "epsilon_greedy";
  static constexpr std::string_view kSummary =
      "a uniform choice with the probability asked for, otherwise the largest value";
  using Options = JointEpsilonGreedyOptions;

  explicit JointEpsilonGreedy(Options = {}) {}

  void probabilities(const JointOffer& offer, std::span<double> out) const noexcept {
    mostly_largest(offer, out, [&](std::size_t a) { return offer.value[a]; });
  }
};

}  // namespace sau
