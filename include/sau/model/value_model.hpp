#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>

#include "sau/core/archive.hpp"
#include "sau/core/argmax_probabilities.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"

namespace sau {

// Has a name, a sentence about itself, settings, and a state that can be written and read back.
template <class T>
concept Component = requires(T& t, const T& constant, const Setup& setup,
                             const typename T::Options& options, StateWriter& writer,
                             StateReader& reader) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kSummary } -> std::convertible_to<std::string_view>;
  T(setup, options);
  T::state(constant, writer);
  T::state(t, reader);
};

// Predicts the mean reward of every action in a context and learns from the rewards.
//  - values(x): one prediction per action, valid until the next call;
//  - update(x, action, reward): learns from one step. Never throws, never allocates;
//  - kRewards: the rewards it can learn from; kUsesContext: false for multi-armed models;
//  - kCheapSteps, optional: true if a step is so cheap that a virtual call would show. The
//    catalogue then compiles every strategy for this model;
//  - kLinear, optional: true if the values are linear in x, apart from an intercept;
//  - describe(column), optional: as in evidence.hpp.
template <class M>
concept ValueModel = Component<M> && std::copyable<M> &&
    requires(M& model, Context x, Action action) {
  { M::kUsesContext } -> std::convertible_to<bool>;
  { M::kRewards } -> std::convertible_to<RewardRange>;
  { model.values(x) }
  noexcept->std::same_as<std::span<const double>>;
  { model.update(x, action, 1.0) }
  noexcept;
};

// Also knows how sure it is: one independent distribution of the mean reward per action.
//  - sample(x, rng): one draw per action, valid until the next call;
//  - marginals(x): the distributions that sample() draws from.
template <class M>
concept PosteriorModel = ValueModel<M> &&
    requires(M& model, Context x, Rng& rng, std::span<double> out) {
  { model.sample(x, rng) }
  noexcept->std::same_as<std::span<const double>>;
  argmax_probabilities(model.marginals(x), out);
};

// Also says how far a value may be off, up to a factor common to all actions.
//  - widths(x): one number >= 0 per action, valid until the next call.
template <class M>
concept WidthModel = ValueModel<M> && requires(M& model, Context x) {
  { model.widths(x) }
  noexcept->std::same_as<std::span<const double>>;
};

// Also says how little it knows about a context, so that a committee with this member explores
// there.
//  - novelty(x): per action the variance of its prediction, in units of the variance of rewards
//    around it; valid until the next call.
template <class M>
concept NoveltyModel = ValueModel<M> && requires(M& model, Context x) {
  { model.novelty(x) }
  noexcept->std::same_as<std::span<const double>>;
};

// Has several opinions on every action, as a committee has.
//  - disagreement(x): their standard deviation per action, valid until the next call.
template <class M>
concept DisagreementModel = ValueModel<M> && requires(M& model, Context x) {
  { model.disagreement(x) }
  noexcept->std::same_as<std::span<const double>>;
};

// May fail for good, as a network does when its weights are no longer finite numbers. Optional, for
// models and strategies.
//  - fault(): empty while all is well, else one sentence: what went wrong, when, and what may help.
//    It depends only on what was learned, and is part of the saved state.
// After a fault a model still answers with finite values but stops learning.
template <class T>
concept Fallible = requires(const T& t) {
  { t.fault() } -> std::same_as<std::string>;
};

// Two that learned separately can be merged into one.
template <class T>
concept Mergeable = requires(T& into, const T& from) {
  into.merge(from);
};

// Whether merging gives what learning everything in one place would have given. A part whose
// settings decide has a function sums().
template <class T>
bool can_merge(const T& t) noexcept {
  if constexpr (!Mergeable<T>) {
    return false;
  } else if constexpr (requires { t.sums(); }) {
    return t.sums();
  } else {
    return true;
  }
}

}  // namespace sau
