#pragma once

#include <span>
#include <string>
#include <utility>

#include "sau/core/relearned.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/explorer.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

// A value model and a strategy, joined at compile time, for a fixed set of actions:
//     Agent{SampleMean{setup}, SauUcb{setup}}.
// An agent is a plain value used by one thread.
template <ValueModel M, Explores<M> S>
class Agent {
 public:
  using Model = M;
  using Strategy = S;

  Agent(M model, S strategy) : model_(std::move(model)), explorer_(std::move(strategy)) {}

  Choice choose(Context x, Rng& rng) noexcept { return explorer_.choose(model_, x, rng); }

  // `made` is what choose() returned for this step: the residual is taken against the value
  // predicted then (eq. 5), so a reward may come back late, or from a log.
  void learn(Context x, Choice made, double reward) noexcept {
    explorer_.learn(made, reward);
    model_.update(x, made.action, reward);
    // A model that starts anew takes the strategy with it.
    if constexpr (requires { model_.take_restart(); }) {
      if (model_.take_restart()) explorer_.restart(relearned());
    }
  }

  // The chance of every action in the next choose(x); one number per action.
  void probabilities(Context x, std::span<double> out) { explorer_.probabilities(model_, x, out); }

  // The chance that every action had in the last choose(). That must have been choose(x), with
  // nothing learned since.
  void last_probabilities(Context x, std::span<double> out) {
    explorer_.last_probabilities(model_, x, out);
  }

  std::span<const double> values(Context x) noexcept { return model_.values(x); }

  // What went wrong for good in the model; empty while all is well.
  std::string fault() const {
    if constexpr (Fallible<M>) return model_.fault();
    return {};
  }

  M& model() noexcept { return model_; }
  const M& model() const noexcept { return model_; }
  Explorer<S>& explorer() noexcept { return explorer_; }
  const Explorer<S>& explorer() const noexcept { return explorer_; }

 private:
  std::span<const Relearned> relearned() const noexcept {
    if constexpr (requires { model_.relearned(); }) return model_.relearned();
    return {};
  }

  M model_;
  Explorer<S> explorer_;
};

}  // namespace sau
