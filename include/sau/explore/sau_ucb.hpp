#pragma once

#include <cmath>

#include "sau/core/argmax.hpp"
#include "sau/explore/sau_state.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct SauUcbOptions {
  double alpha = 1.0;
  std::uint64_t initial_pulls = 1;
  double floor = 0.0;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus; 1 in the paper", Bounds{.min = 0.0, .open = true});
    field("initial_pulls", initial_pulls, "opening rounds that play every action in turn",
          Bounds{.min = 1.0, .max = 1e6});
    field("floor", floor, "share of uniform choices, for logs that need every probability above 0",
          Bounds{.min = 0.0, .max = 1.0});
  }
};

// SAU-UCB (Zhu & Rigotti 2021, eq. 7, algorithm 1): plays
//     argmax_a  mu_a(x) + alpha * sqrt(S2_a * ln n) / n_a.
// One log and one sqrt a step, not one an action. An action whose rewards are all still on their
// way has an infinite index.
class SauUcb {
 public:
  static constexpr std::string_view kName = "sau_ucb";
  static constexpr std::string_view kSummary =
      "SAU-UCB: value plus the bonus sqrt(S2_a ln n) / n_a (eq. 7)";
  using Options = SauUcbOptions;

  explicit SauUcb(const Setup& setup, Options options = {})
      : options_(options), sau_(setup.shape.actions) {}

  template <ValueModel M>
  Choice choose(M& model, Context x, Rng& rng) noexcept {
    const auto value = model.values(x);
    Action action = choice(++step_, value);
    if (options_.floor > 0.0 && rng.uniform() < options_.floor) {
      action = static_cast<Action>(rng.below(sau_.actions()));
    }
    return {action, value[action]};
  }

  void observe(Action action, double residual) noexcept { sau_.observe(action, residual); }

  template <ValueModel M>
  void probabilities(M& model, Context x, std::span<double> out) const noexcept {
    point_mass(choice(step_ + 1, model.values(x)), out);
    mix_uniform(options_.floor, out);
  }

  const SauState& sau() const noexcept { return sau_; }

  void step_back() noexcept { --step_; }

  void merge(const SauUcb& other) noexcept {
    step_ += other.step_;
    sau_.merge(other.sau_);
  }

  static void state(auto& self, auto&& field) {
    field("step", self.step_);
    SauState::state(self.sau_, field);
  }
  void restored() noexcept { sau_.restored(); }

 private:
  Action choice(std::uint64_t n, std::span<const double> value) const noexcept {
    const std::size_t actions = sau_.actions();
    if (in_opening(n, options_.initial_pulls, actions)) return opening_action(n, actions);
    const double scale = options_.alpha * std::sqrt(std::log(static_cast<double>(n)));
    const auto width = sau_.width();
    return argmax_of(actions, sau_.latest(),
                     [&](std::size_t a) { return value[a] + scale * width[a]; });
  }

  Options options_;
  std::uint64_t step_ = 0;
  SauState sau_;
};

}  // namespace sau
