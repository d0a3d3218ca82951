#pragma once

#include "sau/core/argmax_probabilities.hpp"
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
// then the largest. With `beta_bernoulli` it is the paper's TS of appendix A, with
// `linear_posterior` its TS, TSdiag and LinearPosterior.
class Thompson {
 public:
  static constexpr std::string_view kName = "thompson";
  static constexpr std::string_view kSummary = "the largest of one posterior draw per action";
  static constexpr std::string_view kNeeds = "a model with a posterior";
  static constexpr bool kCountsSteps = true;
  template <class M>
  static constexpr bool kFits = PosteriorModel<M>;
  using Options = ThompsonOptions;

  explicit Thompson(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  NoEvidence evidence() const { return NoEvidence(actions_); }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    if (offer.in_opening(options_.initial_pulls)) return offer.opening_action();
    return argmax(offer.sample(rng));
  }

  void probabilities(const auto& offer, std::span<double> out) const {
    if (offer.in_opening(options_.initial_pulls)) {
      point_mass(offer.opening_action(), out);
    } else {
      argmax_probabilities(offer.marginals(), out);
    }
  }

 private:
  Options options_;
  Action actions_;
};

}  // namespace sau
