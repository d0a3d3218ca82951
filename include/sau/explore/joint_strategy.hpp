#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "sau/core/argmax.hpp"
#include "sau/core/spec.hpp"

namespace sau {

// What a joint strategy chooses from: the actions offered and not excluded, at least one. An action
// without a reward yet has the spread of one whose first reward was predicted exactly, 1.
//
// (Playing such an action first, as the strategies for a fixed set of actions do, would send it
// every request until its first reward arrives, which may be minutes later. With a finite spread it
// is explored at once and the others keep their share.)
struct JointOffer {
  std::span<const double> value;   // predicted means
  std::span<const double> spread;  // sqrt(S2_a) / n_a
  std::uint64_t learned = 0;       // rewards learned from, of all actions
  double exploration = 0.0;        // share of uniform choices asked for
};

// How many action ids are remembered: a setting of every joint strategy, since SAU's two numbers
// are what is remembered of them.
inline constexpr std::uint64_t kUsualActions = 100'000;
inline constexpr std::string_view kActionsHelp =
    "action ids whose statistics are kept; beyond it those seen least and longest ago go";
inline constexpr Bounds kActionsBounds{.min = 16.0, .max = 1e8};

// Picks the first action with the largest score, mixed with uniform by the share asked for.
template <class Score>
void mostly_largest(const JointOffer& offer, std::span<double> out, Score&& score) noexcept {
  const Action best = argmax_of(out.size(), score);
  const double share = offer.exploration / static_cast<double>(out.size());
  std::ranges::fill(out, share);
  out[best] += 1.0 - offer.exploration;
}

// The probability of every action of the offer; `out` is as long as it.
template <class S>
concept JointStrategy = requires(const S& strategy, const JointOffer& offer,
                                 std::span<double> out) {
  { S::kName } -> std::convertible_to<std::string_view>;
  { S::kSummary } -> std::convertible_to<std::string_view>;
  S(typename S::Options{});
  { typename S::Options{}.actions } -> std::convertible_to<std::uint64_t>;
  strategy.probabilities(offer, out);
};

}  // namespace sau
