#pragma once

#include <vector>

#include "sau/core/argmax.hpp"
#include "sau/explore/sau_state.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct SauSamplingOptions {
  double alpha = 1.0;
  std::uint64_t initial_pulls = 1;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the standard deviation; 1 in the paper",
          Bounds{.min = 0.0, .open = true});
    field("initial_pulls", initial_pulls, "opening rounds that play every action in turn",
          Bounds{.min = 1.0, .max = 1e6});
  }
};

// SAU-Sampling (Zhu & Rigotti 2021, eq. 8, algorithm 1): plays the largest of the draws
//     Normal(mu_a(x), variance alpha^2 * S2_a / n_a^2), independent across actions.
// The choice probability is the integral of phi_a(z) * prod_{b != a} Phi_b(z) over z. An action
// whose rewards are all still on their way has no finite spread: while there are such actions,
// one of them is played, each with the same probability.
class SauSampling {
 public:
  static constexpr std::string_view kName = "sau_sampling";
  static constexpr std::string_view kSummary =
      "SAU-Sampling: the largest of Normal(value, S2_a / n_a^2) draws (eq. 8)";
  using Options = SauSamplingOptions;

  explicit SauSampling(const Setup& setup, Options options = {})
      : options_(options), sau_(setup.shape.actions, options.alpha) {}

  template <ValueModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    const auto value = model.values(x);
    const std::uint64_t n = ++step_;
    const std::size_t actions = sau_.actions();
    Action action = 0;
    if (in_opening(n, options_.initial_pulls, actions)) {
      action = opening_action(n, actions);
    } else if (sau_.unplayed() > 0) {
      action = unplayed_action(rng.below(sau_.unplayed()));
    } else {
      const auto width = sau_.width();
      action =
          argmax_of(actions, [&](std::size_t a) { return value[a] + width[a] * rng.normal(); });
    }
    return {action, value[action]};
  }

  void observe(Action action, double residual) noexcept { sau_.observe(action, residual); }

  template <ValueModel M>
  void probabilities(M& model, Context x, std::span<double> out) const {
    const std::uint64_t n = step_ + 1;
    if (in_opening(n, options_.initial_pulls, out.size())) {
      point_mass(opening_action(n, out.size()), out);
    } else if (sau_.unplayed() > 0) {
      for (std::size_t a = 0; a < out.size(); ++a) {
        const bool waiting = sau_.pulls(static_cast<Action>(a)) == 0.0;
        out[a] = waiting ? 1.0 / static_cast<double>(sau_.unplayed()) : 0.0;
      }
    } else {
      const auto value = model.values(x);
      std::vector<NormalMarginal> marginals;
      for (std::size_t a = 0; a < out.size(); ++a) {
        marginals.push_back({value[a], sau_.width()[a]});
      }
      argmax_probabilities(marginals, out);
    }
  }

  const SauState& sau() const noexcept { return sau_; }

  void step_back() noexcept { --step_; }

  void merge(const SauSampling& other) noexcept {
    step_ += other.step_;
    sau_.merge(other.sau_);
  }

  static void state(auto& self, auto&& field) {
    field("step", self.step_);
    SauState::state(self.sau_, field);
  }
  void restored() noexcept { sau_.restored(); }

 private:
  // The place-th action without a reward.
  Action unplayed_action(std::uint64_t place) const noexcept {
    Action action = 0;
    while (sau_.pulls(action) != 0.0 || place-- > 0) ++action;
    return action;
  }

  Options options_;
  std::uint64_t step_ = 0;
  SauState sau_;
};

}  // namespace sau
