#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "sau/core/argmax.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/evidence.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

// A strategy is a rule that chooses from an offer. It holds settings and nothing else. It does not
// know whether the candidates are a fixed set of actions or actions that come and go by id: that is
// the offer's business. An offer has
//  - size(): how many candidates there are, at least one;
//  - values(): the predicted mean reward of each;
//  - evidence(): what is known about each besides the model, in the form that the strategy needs;
//  - step(): the number of this choice, from 1;
//  - in_opening(rounds), opening_action(): the opening of algorithm 1, every action in turn. Only a
//    fixed set of actions has one;
//  - share(own): the share of uniform choices: the strategy's own, unless the caller asked for one;
//  - widths(), marginals(), sample(rng), disagreement(): if the model has them.
//
// A strategy has
//  - evidence(): an empty record of a fixed set of actions (evidence.hpp);
//  - probabilities(offer, out): the exact chance of every candidate;
//  - choose(offer, rng): optional, a draw by these chances that costs less than computing them.
//    Never throws, never allocates. Without it the choice is drawn from the probabilities;
//  - kNeeds and kFits<Model>: what it needs from a model, if not every model will do;
//  - kRewards: the rewards it is made for, if not every reward will do;
//  - kCountsSteps: true if a choice depends on step().
template <class S>
concept Strategy = std::copyable<S> &&
    requires(const S& strategy, const Setup& setup, const typename S::Options& options) {
  { S::kName } -> std::convertible_to<std::string_view>;
  { S::kSummary } -> std::convertible_to<std::string_view>;
  S(setup, options);
  { strategy.evidence().actions() } -> std::convertible_to<std::size_t>;
};

namespace detail {

template <class S, class M>
constexpr bool model_suffices() {
  // Of a model that stands for another one, the other one decides.
  constexpr bool kDecides = !requires { M::kStandsForOthers; }
  &&requires { S::template kFits<M>; };
  if constexpr (kDecides) return S::template kFits<M>;
  return true;
}

template <class S>
constexpr bool counts_steps() {
  if constexpr (requires { S::kCountsSteps; }) {
    return S::kCountsSteps;
  } else {
    return false;
  }
}

}  // namespace detail

// The rewards that a model of this kind with strategy S can learn from.
template <class S>
constexpr RewardRange rewards_with(RewardRange model) {
  if constexpr (requires { S::kRewards; }) {
    return {std::max(model.min, S::kRewards.min), std::min(model.max, S::kRewards.max)};
  } else {
    return model;
  }
}

// The part, model or strategy, that allows the narrower range. The message about a refused reward
// names it.
template <class S>
constexpr std::string_view strictest(std::string_view model, RewardRange rewards) {
  if constexpr (requires { S::kRewards; }) {
    if (!S::kRewards.contains(rewards)) return S::kName;
  }
  return model;
}

// Strategy S can choose with model M.
template <class S, class M>
concept Explores = Strategy<S> && detail::model_suffices<S, M>();

// All probability on one candidate.
inline void point_mass(Action action, std::span<double> out) noexcept {
  std::ranges::fill(out, 0.0);
  out[action] = 1.0;
}

// Mixes in a uniform choice with probability `share`.
inline void mix_uniform(double share, std::span<double> out) noexcept {
  for (double& p : out) p = (1.0 - share) * p + share / static_cast<double>(out.size());
}

// These two are for strategies that play the candidate with the largest score, except for a share
// of uniform choices.
template <class Offer, class Best>
Action choose_best(const Offer& offer, double own_share, Rng& rng, Best&& best) noexcept {
  const Action action = best();
  const double share = offer.share(own_share);
  if (share > 0.0 && rng.uniform() < share) return static_cast<Action>(rng.below(offer.size()));
  return action;
}

template <class Offer>
void best_probabilities(const Offer& offer, double own_share, Action best,
                        std::span<double> out) noexcept {
  point_mass(best, out);
  mix_uniform(offer.share(own_share), out);
}

}  // namespace sau
