#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "sau/core/types.hpp"

namespace sau {

// Sample Average Uncertainty (Zhu & Rigotti 2021, eqs. 5 and 6, algorithm 1). Per action a count
// n_a and a sum of squared residuals S2_a, 1 at the start:
//     tau2_a = S2_a / n_a,   SAU = tau2_a / n_a = S2_a / n_a^2.
// We keep its square root times a constant, scale * sqrt(S2_a) / n_a: a pull changes it for one
// action only.
class SauState {
 public:
  explicit SauState(std::size_t actions, double scale = 1.0)
      : scale_(scale),
        pulls_(actions),
        square_(actions, kSquareAtStart),
        width_(actions, std::numeric_limits<double>::infinity()),
        unplayed_(actions) {}

  std::size_t actions() const noexcept { return pulls_.size(); }
  // scale * sqrt(SAU) of every action; infinite for an action without a reward.
  std::span<const double> width() const noexcept { return width_; }
  // The same for an action known by id.
  double width_of(double count, double squares) const noexcept {
    return scale_ * (std::sqrt(squares) / count);
  }
  double pulls(Action action) const noexcept { return pulls_[action]; }
  double square(Action action) const noexcept { return square_[action]; }
  // How many actions have no reward yet.
  std::size_t unplayed() const noexcept { return unplayed_; }
  bool is_unplayed(std::size_t action) const noexcept { return pulls_[action] == 0.0; }
  // The action learned from last: its width is the last one to be ready.
  Action latest() const noexcept { return latest_; }

  void observe(Action action, double residual) noexcept {
    latest_ = action;
    if (pulls_[action] == 0.0) --unplayed_;
    pulls_[action] += 1.0;
    square_[action] += residual * residual;
    refresh(action);
  }

  // Both numbers are sums, so states learned separately add up.
  void merge(const SauState& other) noexcept {
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      pulls_[a] += other.pulls_[a];
      square_[a] += other.square_[a] - kSquareAtStart;
    }
    restored();
  }

  static void state(auto& self, auto&& field) {
    field("pulls", self.pulls_);
    field("square", self.square_);
  }
  void restored() noexcept {
    unplayed_ = 0;
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      if (pulls_[a] == 0.0) ++unplayed_;
      refresh(static_cast<Action>(a));
    }
  }

 private:
  // Written so that the division does not wait for the root: a step is one chain of such waits.
  // 1 / 0 gives the infinity we want.
  void refresh(Action action) noexcept {
    width_[action] = std::sqrt(square_[action]) * (scale_ / pulls_[action]);
  }

  static constexpr double kSquareAtStart = 1.0;

  double scale_;
  std::vector<double> pulls_, square_, width_;
  std::size_t unplayed_;
  Action latest_ = 0;
};

}  // namespace sau
