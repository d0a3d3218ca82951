#pragma once

#include "sau/core/argmax.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct ThompsonOptions {
  std::uint64_t initial_pulls = 0;
  void fields(auto&& field) {
    field("initial_pulls", initial_pulls, "opening rounds that play every action in turn",
          Bounds{.min = 0.0, .max = 1e6});
  }
};

// Thompson sampling (Thompson 1933): one draw of every action's mean from the model's posterior,
// then the largest. With `beta_bernoulli` the paper's TS of appendix A, with
// `linear_posterior` its TS, TSdiag and LinearPosterior.
class Thompson {
 public:
  static constexpr std::string_view kName = "thompson";
  static constexpr std::string_view kSummary = "the largest of one posterior draw per action";
  static constexpr std::string_view kNeeds = "a model with a posterior";
  using Options = ThompsonOptions;

  explicit Thompson(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  template <PosteriorModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    const std::uint64_t n = ++step_;
    const Action action = in_opening(n, options_.initial_pulls, actions_)
                              ? opening_action(n, actions_)
                              : argmax(model.sample(x, rng));
    return {action, model.values(x)[action]};
  }

  void observe(Action, double) noexcept {}

  template <PosteriorModel M>
  void probabilities(M& model, Context x, std::span<double> out) const {
    if (in_opening(step_ + 1, options_.initial_pulls, actions_)) {
      point_mass(opening_action(step_ + 1, actions_), out);
    } else {
      argmax_probabilities(model.marginals(x), out);
    }
  }

  void step_back() noexcept { --step_; }

  void merge(const Thompson& other) noexcept { step_ += other.step_; }

  static void state(auto& self, auto&& field) { field("step", self.step_); }

 private:
  Options options_;
  Action actions_;
  std::uint64_t step_ = 0;
};

}  // namespace sau
