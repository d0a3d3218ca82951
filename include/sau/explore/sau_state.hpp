#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/explore/evidence.hpp"

namespace sau {

// What both SAU strategies let you set about how uncertain an action is.
struct SauPrior {
  double pool = 0.0;
  double start = 1.0;
  double prior = 0.0;
  double discount = 1.0;
  double disagreement = 1.0;
  void fields(auto&& field) {
    field("pool", pool, "adds this many squared residuals of average size to S2_a; 0 in the paper",
          Bounds{.min = 0.0, .max = 1e6});
    field("start", start, "S2_a before the first reward; 1 in the paper, 0 for rewards of any unit",
          Bounds{.min = 0.0, .max = 1e100});
    field("prior", prior,
          "adds so many rewards to n_a: what the model knows of an action before its first; 0 in "
          "the paper",
          Bounds{.min = 0.0, .max = 1e6});
    field("discount", discount, "factor on n_a and S2_a at every reward; below 1 it forgets",
          Bounds{.min = 0.5, .max = 1.0});
    field("disagreement", disagreement,
          "factor on the bonus where the members of a committee disagree; 0: no such bonus",
          Bounds{.min = 0.0, .max = 1e6});
  }
  void check(std::string_view strategy) const {
    if (discount < 1.0 && pool > 0.0) {
      throw UsageError(std::string(strategy) + ": discount=" + format_number(discount) +
                       " is not allowed with pool=" + format_number(pool) +
                       "; expected one of them");
    }
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
//
// With prior > 0, not in the paper either, n_a + prior takes the place of n_a in the width, so that
// an action begins with a smaller one. An action without a reward is still played first.
//
// With discount < 1, which the paper does not have either, every reward first multiplies n_a and
// S2_a of all actions by it: an action that is not played becomes uncertain again. ln n is then
// that of the rewards that still count.
class SauState {
 public:
  explicit SauState(std::size_t actions, double scale = 1.0, const SauPrior& prior = {})
      : scale_(scale),
        prior_(prior),
        forgets_(prior.discount != 1.0),
        plain_(prior.pool == 0.0 && prior.prior == 0.0 && prior.discount == 1.0),
        pulls_(actions),
        square_(actions, prior.start),
        width_(actions, std::numeric_limits<double>::infinity()),
        unplayed_(actions) {}

  std::size_t actions() const noexcept { return pulls_.size(); }
  // scale * sqrt(SAU) of every action; infinite for an action without a reward.
  std::span<const double> width() const noexcept { return width_; }
  // tau2_a, which is infinite before the first reward.
  double variance(std::size_t action) const noexcept {
    return (square_[action] + prior_.pool * pooled_.mean()) / (pulls_[action] + prior_.prior);
  }
  // The width of an action known by id; `squares` is S2_a + pool * T.
  double width_of(double count, double squares) const noexcept {
    return scale_ * (std::sqrt(squares) / count);
  }

  // If actions come and go by id, IdRecord::own is the discounted n_a, as it was at the latest
  // reward of the id.
  bool keeps_own() const noexcept { return forgets_; }
  CountAndSquares known(const IdRecord& record, const IdTotals& totals) const noexcept {
    if (!keeps_own()) return {static_cast<double>(record.count), record.squares};
    const auto age = static_cast<double>(totals.learned - record.last_seen);
    const double keep = std::max(std::pow(prior_.discount, age), kLeastPulls / record.own);
    return {keep * record.own, keep * record.squares};
  }
  double counted(const IdTotals& totals) const noexcept {
    return keeps_own() ? totals.own : static_cast<double>(totals.learned);
  }
  // This reward is number totals.learned.
  void observe_id(IdRecord& record, IdTotals& totals, const IdLesson& lesson) const noexcept {
    if (keeps_own()) {
      totals.own = prior_.discount * totals.own + 1.0;
      if (record.own > 0.0) {
        const CountAndSquares left = known(record, totals);
        record.own = left.count;
        record.squares = left.squares;
      }
      record.own += 1.0;
    }
    record.squares += lesson.residual * lesson.residual;
  }

  // sqrt(SAU) of every action: width() without its scale.
  std::vector<double> spread() const {
    std::vector<double> result(width_);
    for (double& number : result) number /= scale_;
    return result;
  }
  void describe(auto&& column) const {
    std::vector<double> squares(square_);
    for (double& number : squares) number += prior_.pool * pooled_.mean();
    column("count", "n_a, rewards learned from", pulls_);
    column("S2", "sum of squared residuals", squares);
    column("spread", "sqrt(S2) / n, the uncertainty of the mean", spread());
  }
  double pulls(Action action) const noexcept { return pulls_[action]; }
  double square(Action action) const noexcept { return square_[action]; }
  const SauPrior& prior() const noexcept { return prior_; }
  // ln n of the bonus at this step.
  double log_n(std::uint64_t step) const noexcept {
    return forgets_ ? log_of_rewards(remembered_) : log_step(step);
  }
  // Whether states that learned separately add up.
  bool sums() const noexcept { return !forgets_; }
  // How many actions have no reward yet.
  std::size_t unplayed() const noexcept { return unplayed_; }
  bool is_unplayed(std::size_t action) const noexcept { return pulls_[action] == 0.0; }
  // The action learned from last: its width is the last one to be ready.
  Action latest() const noexcept { return latest_; }

  void observe(Action action, double residual) noexcept {
    latest_ = action;
    if (!plain_) [[unlikely]]
      return observe_all(action, residual);
    add(action, residual);
    refresh(action);
  }

  // As if new. Never allocates.
  void restart() noexcept {
    std::ranges::fill(pulls_, 0.0);
    std::ranges::fill(square_, prior_.start);
    pooled_ = {};
    remembered_ = 0.0;
    restored();
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
    if (self.forgets_) field("remembered", self.remembered_);
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
  void add(Action action, double residual) noexcept {
    if (pulls_[action] == 0.0) --unplayed_;
    pulls_[action] += 1.0;
    square_[action] += residual * residual;
  }
  // A reward that changes the width of every action. Not inlined: that would slow down the others.
  [[gnu::noinline]] void observe_all(Action action, double residual) noexcept {
    if (forgets_) forget();
    add(action, residual);
    if (prior_.pool != 0.0) pooled_.add(residual);
    refresh_all();
  }
  void forget() noexcept {
    remembered_ = prior_.discount * remembered_ + 1.0;
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      if (is_unplayed(a)) continue;
      // Far below one reward's worth the width is huge; it need not become infinite.
      const double keep = pulls_[a] > kLeastPulls ? prior_.discount : 1.0;
      pulls_[a] *= keep;
      square_[a] *= keep;
    }
  }
  void refresh_all() noexcept {
    const double prior = prior_.pool * pooled_.mean();
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      const double square = square_[a] + prior;
      width_[a] = is_unplayed(a) ? std::numeric_limits<double>::infinity()
                                 : std::sqrt(square) * (scale_ / (pulls_[a] + prior_.prior));
    }
  }

  static constexpr double kLeastPulls = 1e-12;

  double scale_;
  SauPrior prior_;
  bool forgets_;             // discount < 1
  bool plain_;               // a reward changes the width of one action only
  double remembered_ = 0.0;  // rewards of all actions, discounted; only with discount < 1
  PooledResiduals pooled_;   // only with pool > 0
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

// The predicted value of every candidate, plus `scale` times that bonus if the model is a
// committee.
template <class Offer>
class OptimisticValues {
 public:
  OptimisticValues(const Offer& offer, double scale) noexcept
      : offer_(offer), scale_(scale), value_(offer.values()) {
    if constexpr (kDisagrees) disagreement_ = offer.disagreement();
  }
  [[gnu::always_inline]] double operator()(std::size_t a) const noexcept {
    if constexpr (kDisagrees) {
      if (!disagreement_.empty()) {
        return value_[a] +
               scale_ * disagreement_bonus(disagreement_[a], offer_.evidence().variance(a));
      }
    }
    return value_[a];
  }

 private:
  static constexpr bool kDisagrees = requires(const Offer& offer) { offer.disagreement(); };

  const Offer& offer_;
  double scale_;
  std::span<const double> value_, disagreement_;
};

}  // namespace sau
