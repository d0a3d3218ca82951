#pragma once

#include "sau/core/argmax.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

// Thompson sampling (Thompson 1933): one draw of every action's mean from the model's posterior,
// then the largest. With `beta_bernoulli` the paper's TS of appendix A, with
// `linear_posterior` its TS, TSdiag and LinearPosterior.
class Thompson {
 public:
  static constexpr std::string_view kName = "thompson";
  static constexpr std::string_view kSummary = "the largest of one posterior draw per action";
  static constexpr std::string_view kNeeds = "a model with a posterior";
  using Options = NoOptions;

  explicit Thompson(const Setup&, Options = {}) {}

  template <PosteriorModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    const Action action = argmax(model.sample(x, rng));
    return {action, model.values(x)[action]};
  }

  void observe(Action, double) noexcept {}

  template <PosteriorModel M>
  void probabilities(M& model, Context x, std::span<double> out) const {
    argmax_probabilities(model.marginals(x), out);
  }

  void merge(const Thompson&) noexcept {}

  static void state(auto&, auto&&) {}
};

}  // namespace sau
