#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

// Strategy S can choose with the values (or the posterior) of model M.
//  - choose(model, x, rng): one decision; counts a step. Never throws, never allocates;
//  - observe(action, residual): what came of a decision, reward minus the value predicted then;
//  - probabilities(model, x, out): the chance of every action in the next choose(), exactly;
//  - step_back(): only of a strategy that counts its steps: as it was before its last choose(),
//  from
//    which nothing has been learned yet;
//  - kNeeds: where not every model will do, what it needs of one, as in "a model with a posterior".
template <class S, class M>
concept Explores = Component<S> && std::copyable<S> && ValueModel<M> &&
    requires(S& strategy, const S& constant, M& model, Context x, Rng& rng, Action action,
             std::span<double> out) {
  { strategy.choose(model, x, rng) }
  noexcept->std::same_as<Choice>;
  { strategy.observe(action, 0.0) }
  noexcept;
  constant.probabilities(model, x, out);
};

// The opening of algorithm 1: every action in turn, `rounds` times over. Step n counts from 1.
inline bool in_opening(std::uint64_t n, std::uint64_t rounds, std::size_t actions) noexcept {
  return n <= rounds * actions;
}
inline Action opening_action(std::uint64_t n, std::size_t actions) noexcept {
  return static_cast<Action>((n - 1) % actions);
}

// All probability on one action.
inline void point_mass(Action action, std::span<double> out) noexcept {
  std::ranges::fill(out, 0.0);
  out[action] = 1.0;
}

// With probability `share` a uniform choice instead of the one in `out`.
inline void mix_uniform(double share, std::span<double> out) noexcept {
  for (double& p : out) p = (1.0 - share) * p + share / static_cast<double>(out.size());
}

}  // namespace sau
