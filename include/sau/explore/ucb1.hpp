#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "sau/core/argmax.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct Ucb1Options {
  double alpha = 1.0;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the bonus; 1 in the paper", Bounds{.min = 0.0, .open = true});
  }
};

// UCB1 (Auer et al. 2002; Zhu & Rigotti 2021, appendix A.3): every action once, then
//     argmax_a  mu_a(x) + alpha * sqrt(2 ln n / n_a).
// 1 / sqrt(n_a) is kept, since a pull changes it for one action only.
class Ucb1 {
 public:
  static constexpr std::string_view kName = "ucb1";
  static constexpr std::string_view kSummary = "value plus the bonus sqrt(2 ln n / n_a)";
  using Options = Ucb1Options;

  explicit Ucb1(const Setup& setup, Options options = {})
      : options_(options),
        pulls_(setup.shape.actions),
        width_(setup.shape.actions, std::numeric_limits<double>::infinity()) {}

  template <ValueModel M>
  Choice choose(M& model, Context x, Rng&) noexcept {
    const auto value = model.values(x);
    const Action action = choice(++step_, value);
    return {action, value[action]};
  }

  void observe(Action action, double) noexcept {
    latest_ = action;
    pulls_[action] += 1.0;
    refresh(action);
  }

  template <ValueModel M>
  void probabilities(M& model, Context x, std::span<double> out) const noexcept {
    point_mass(choice(step_ + 1, model.values(x)), out);
  }

  void step_back() noexcept { --step_; }

  void merge(const Ucb1& other) noexcept {
    step_ += other.step_;
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      pulls_[a] += other.pulls_[a];
      refresh(static_cast<Action>(a));
    }
  }

  static void state(auto& self, auto&& field) {
    field("step", self.step_);
    field("pulls", self.pulls_);
    field("width", self.width_);
  }

 private:
  Action choice(std::uint64_t n, std::span<const double> value) const noexcept {
    const std::size_t actions = width_.size();
    if (in_opening(n, 1, actions)) return opening_action(n, actions);
    const double scale = options_.alpha * std::sqrt(2.0 * std::log(static_cast<double>(n)));
    return argmax_of(actions, latest_, [&](std::size_t a) { return value[a] + scale * width_[a]; });
  }

  void refresh(Action action) noexcept { width_[action] = 1.0 / std::sqrt(pulls_[action]); }

  Options options_;
  std::uint64_t step_ = 0;
  Action latest_ = 0;                  // learned from last
  std::vector<double> pulls_, width_;  // width infinite while an action has no reward
};

}  // namespace sau
