#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/evidence.hpp"

namespace sau {

// What both SAU strategies let you set about S2_a.
struct SauPrior {
  double pool = 0.0;
  double start = 1.0;
  void fields(auto&& field) {
    field("pool", pool, "adds so many squared residuals of average size to S2_a; 0 in the paper",
          Bounds{.min = 0.0, .max = 1e6});
    field("start", start, "S2_a before the first reward; 1 in the paper, 0 for rewards of any unit",
          Bounds{.min = 0.0, .max = 1e100});
  }
};

// Sample Average Uncertainty (Zhu & Rigotti 2021, eqs. 5 and 6, algorithm 1). Per action a count
// n_a and a sum of squared residuals S2_a, 1 at the start:
//     tau2_a = S2_a / n_a,   SAU = tau2_a / n_a = S2_a / n_a^2.
// We keep its square root times a constant, scale * sqrt(S2_a) / n_a: a pull changes it for one
// action only.
//
// With pool > 0, which the paper does not have, S2_a + pool * T takes the place of S2_a, where T is
// the mean squared residual of all actions: as if every action had begun with `pool` residuals of
// the usual size. A reward then changes the width of every action.
class SauState {
 public:
  explicit SauState(std::size_t actions, double scale = 1.0, const SauPrior& prior = {})
      : scale_(scale),
        prior_(prior),
        pulls_(actions),
        square_(actions, prior.start),
        width_(actions, std::numeric_limits<double>::infinity()),
        unplayed_(actions) {}

  std::size_t actions() const noexcept { return pulls_.size(); }
  // scale * sqrt(SAU) of every action; infinite for an action without a reward.
  std::span<const double> width() const noexcept { return width_; }
  // tau2_a, which is infinite before the first reward.
  double variance(std::size_t action) const noexcept {
    return (square_[action] + prior_.pool * pooled_.mean()) / pulls_[action];
  }
  // The width of an action known by id; `squares` is S2_a + pool * T.
  double width_of(double count, double squares) const noexcept {
    return scale_ * (std::sqrt(squares) / count);
  }
  double pulls(Action action) const noexcept { return pulls_[action]; }
  double square(Action action) const noexcept { return square_[action]; }
  const SauPrior& prior() const noexcept { return prior_; }
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
    if (prior_.pool != 0.0) [[unlikely]]
      return observe_pooled(residual);
    refresh(action);
  }

  // All numbers are sums, so states learned separately add up.
  void merge(const SauState& other) noexcept {
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      pulls_[a] += other.pulls_[a];
      square_[a] += other.square_[a] - prior_.start;
    }
    pooled_.count += other.pooled_.count;
    pooled_.squares += other.pooled_.squares;
    restored();
  }

  static void state(auto& self, auto&& field) {
    field("pulls", self.pulls_);
    field("square", self.square_);
    if (self.prior_.pool == 0.0) return;
    field("pooled_count", self.pooled_.count);
    field("pooled_squares", self.pooled_.squares);
  }
  void restored() noexcept {
    unplayed_ = 0;
    for (const double pulls : pulls_) unplayed_ += pulls == 0.0 ? 1 : 0;
    refresh_all();
  }

 private:
  // Written so that the division does not wait for the root: a step is one chain of such waits.
  // 1 / 0 gives the infinity we want.
  void refresh(Action action) noexcept {
    width_[action] = std::sqrt(square_[action]) * (scale_ / pulls_[action]);
  }
  // Not inlined: that would slow down the steps without a pool.
  [[gnu::noinline]] void observe_pooled(double residual) noexcept {
    pooled_.add(residual);
    refresh_all();
  }
  void refresh_all() noexcept {
    const double prior = prior_.pool * pooled_.mean();
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      const double square = square_[a] + prior;
      width_[a] = is_unplayed(a) ? std::numeric_limits<double>::infinity()
                                 : std::sqrt(square) * (scale_ / pulls_[a]);
    }
  }

  double scale_;
  SauPrior prior_;
  PooledResiduals pooled_;  // only with pool > 0
  std::vector<double> pulls_, square_, width_;
  std::size_t unplayed_;
  Action latest_ = 0;
};

// What the SAU strategies add to the value of an action on which a committee disagrees. With D_a
// the standard deviation of the members' predictions it is D_a^2 / sqrt(D_a^2 + tau2_a): D_a while
// the members differ by more than rewards do, less once that can be noise.
inline double disagreement_bonus(double disagreement, double variance) noexcept {
  const double square = disagreement * disagreement;
  return square > 0.0 ? square / std::sqrt(square + variance) : 0.0;
}

// The predicted value of every candidate, with that bonus if the model has one to give.
template <class Offer>
class OptimisticValues {
 public:
  explicit OptimisticValues(const Offer& offer) noexcept : offer_(offer), value_(offer.values()) {
    if constexpr (kDisagrees) disagreement_ = offer.disagreement();
  }
  [[gnu::always_inline]] double operator()(std::size_t a) const noexcept {
    if constexpr (!kDisagrees) {
      return value_[a];
    } else {
      return value_[a] + disagreement_bonus(disagreement_[a], offer_.evidence().variance(a));
    }
  }

 private:
  static constexpr bool kDisagrees = requires(const Offer& offer) { offer.disagreement(); };

  const Offer& offer_;
  std::span<const double> value_, disagreement_;
};

}  // namespace sau
