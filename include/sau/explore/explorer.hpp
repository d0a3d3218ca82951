#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sau/core/draw.hpp"
#include "sau/core/relearned.hpp"
#include "sau/explore/offer.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

// A strategy at work on a fixed set of actions: the rule, the evidence it has gathered, and the
// number of choices it has made.
template <Strategy S>
class Explorer {
 public:
  using Evidence = decltype(std::declval<const S&>().evidence());

  explicit Explorer(S strategy)
      : strategy_(std::move(strategy)),
        evidence_(strategy_.evidence()),
        chance_(kDraws ? evidence_.actions() : 0) {}
  explicit Explorer(const Setup& setup, typename S::Options options = {})
      : Explorer(S(setup, std::move(options))) {}

  // One decision; counts a step. Never throws, never allocates.
  template <ValueModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    const FixedOffer<M, Evidence> offer(model, x, evidence_, ++step_);
    Action action = 0;
    if constexpr (kDraws) {
      strategy_.probabilities(offer, chance_);
      action = static_cast<Action>(draw_from(chance_, rng.uniform()));
    } else {
      action = strategy_.choose(offer, rng);
    }
    if constexpr (kAnneals) evidence_.stepped();
    return {action, offer.values()[action]};
  }

  // Records the outcome of a decision: the reward minus the value predicted then.
  void observe(Action action, double residual) noexcept { evidence_.observe(action, residual); }
  // The same, for evidence of either kind.
  void learn(Choice made, double reward) noexcept {
    if constexpr (requires { evidence_.rewarded(made.action, reward); }) {
      evidence_.rewarded(made.action, reward);
    } else {
      observe(made.action, reward - made.value);
    }
  }

  // Forgets everything but these rewards.
  void restart(std::span<const Relearned> rewards = {}) noexcept {
    if constexpr (requires { evidence_.restart(); }) {
      evidence_.restart();
      for (const Relearned& each : rewards) {
        learn({static_cast<Action>(each.action), each.value}, each.reward);
      }
      step_ = rewards.size();
    }
  }

  // The chance of every action in the next choose(), exactly.
  template <ValueModel M>
  void probabilities(M& model, Context x, std::span<double> out) const {
    strategy_.probabilities(FixedOffer<M, Evidence>(model, x, evidence_, step_ + 1), out);
  }
  // The same for the last choose(), from which nothing has been learned yet.
  template <ValueModel M>
  void last_probabilities(M& model, Context x, std::span<double> out) const {
    if constexpr (kAnneals) {
      Evidence before = evidence_;
      before.anneal(step_ - 1);
      strategy_.probabilities(FixedOffer<M, Evidence>(model, x, before, step_), out);
    } else {
      strategy_.probabilities(FixedOffer<M, Evidence>(model, x, evidence_, step_), out);
    }
  }

  const S& strategy() const noexcept { return strategy_; }
  const Evidence& evidence() const noexcept { return evidence_; }
  std::uint64_t steps() const noexcept { return step_; }

  // Adds what was learned separately.
  void merge(const Explorer& other) noexcept requires Mergeable<Evidence> {
    step_ += other.step_;
    evidence_.merge(other.evidence_);
    if constexpr (kAnneals) evidence_.anneal(step_);
  }

  static void state(auto& self, auto&& field) {
    if constexpr (detail::counts_steps<S>()) field("step", self.step_);
    Evidence::state(self.evidence_, field);
  }
  void restored() noexcept {
    if constexpr (requires { evidence_.restored(); }) evidence_.restored();
  }

 private:
  static constexpr bool kAnneals = requires(Evidence & evidence) { evidence.stepped(); };
  static constexpr bool kDraws = !requires(const S& strategy, Rng& rng) {
    strategy.choose(std::declval<const IdOffer&>(), rng);
  };

  S strategy_;
  Evidence evidence_;
  std::vector<double> chance_;  // only for a strategy without choose()
  std::uint64_t step_ = 0;
};

}  // namespace sau
