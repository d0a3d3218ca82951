#pragma once

#include <vector>

#include "sau/core/argmax_probabilities.hpp"
#include "sau/core/stack_memory.hpp"
#include "sau/explore/sau_state.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct SauSamplingOptions {
  double alpha = 1.0;
  std::uint64_t initial_pulls = 1;
  SauPrior prior = {};
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the standard deviation; 1 in the paper",
          Bounds{.min = 0.0, .open = true});
    field("initial_pulls", initial_pulls, "opening rounds that play every action in turn",
          Bounds{.min = 1.0, .max = 1e6});
    prior.fields(field);
  }
  void check() const { prior.check("sau_sampling"); }
};

// SAU-Sampling (Zhu & Rigotti 2021, eq. 8, algorithm 1): plays the largest of the draws
//     Normal(mu_a(x), variance alpha^2 * S2_a / n_a^2), independent across actions.
// The choice probability is the integral of phi_a(z) * prod_{b != a} Phi_b(z) over z. An action
// whose rewards are all still on their way has no finite spread: while there are such actions,
// one of them is played, each with the same probability. A committee's disagreement is added to
// mu_a(x).
class SauSampling {
 public:
  static constexpr std::string_view kName = "sau_sampling";
  static constexpr std::string_view kSummary =
      "SAU-Sampling: the largest of Normal(value, S2_a / n_a^2) draws (eq. 8)";
  static constexpr bool kCountsSteps = true;
  using Options = SauSamplingOptions;

  explicit SauSampling(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  SauState evidence() const { return SauState(actions_, options_.alpha, options_.prior); }

  Action choose(const auto& offer, Rng& rng) const noexcept {
    if (offer.in_opening(options_.initial_pulls)) return offer.opening_action();
    const auto& evidence = offer.evidence();
    if (evidence.unplayed() > 0) return unplayed_action(evidence, rng.below(evidence.unplayed()));
    const OptimisticValues value(offer, options_.prior.disagreement);
    const auto width = evidence.width();
    return argmax_of(offer.size(),
                     [&](std::size_t a) { return value(a) + width[a] * rng.normal(); });
  }

  void probabilities(const auto& offer, std::span<double> out) const {
    if (offer.in_opening(options_.initial_pulls)) return point_mass(offer.opening_action(), out);
    const auto& evidence = offer.evidence();
    if (evidence.unplayed() > 0) {
      const double each = 1.0 / static_cast<double>(evidence.unplayed());
      for (std::size_t a = 0; a < out.size(); ++a) out[a] = evidence.is_unplayed(a) ? each : 0.0;
      return;
    }
    StackMemory<2048> memory;
    std::pmr::vector<NormalMarginal> marginals(out.size(), memory.resource());
    const OptimisticValues value(offer, options_.prior.disagreement);
    for (std::size_t a = 0; a < out.size(); ++a) marginals[a] = {value(a), evidence.width()[a]};
    argmax_probabilities(marginals, out);
  }

 private:
  // The place-th action without a reward.
  static Action unplayed_action(const auto& evidence, std::uint64_t place) noexcept {
    Action action = 0;
    while (!evidence.is_unplayed(action) || place-- > 0) ++action;
    return action;
  }

  Options options_;
  Action actions_;
};

}  // namespace sau
