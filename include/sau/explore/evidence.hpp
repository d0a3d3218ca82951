#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sau/core/types.hpp"

namespace sau {

// Evidence is what a strategy needs to know about every action besides its predicted value. For a
// fixed set of actions it is an array that is kept up to date, with
//  - actions(): how many there are;
//  - observe(action, residual): a reward came; the residual is reward minus predicted value. Or
//    rewarded(action, reward), for evidence that is about the reward itself;
//  - merge(other): adds what was observed separately; left out if the record is not a sum;
//  - restart(): forgets everything, if there is anything to forget;
//  - width(): the number per action that the strategy's rule uses, if it uses one;
//  - width_of(count, squares): the same number for an action known by id, from how many rewards it
//    had and its S2_a;
//  - describe(column): calls column(name, meaning, numbers) for what people may want to see of it,
//    one number per action.

// ln n for the bonus of step n. At least ln 2, so that without an opening the first choice has a
// bonus too.
inline double log_step(std::uint64_t step) noexcept {
  return std::log(static_cast<double>(std::max<std::uint64_t>(step, 2)));
}

// Squared residuals of all actions.
struct PooledResiduals {
  std::uint64_t count = 0;
  double squares = 0.0;

  void add(double residual) noexcept {
    ++count;
    squares += residual * residual;
  }
  // Their mean. While it is 0, nothing says how large a residual is: any unit will do.
  double mean() const noexcept {
    return squares > 0.0 ? squares / static_cast<double>(count) : 1.0;
  }
};

// Only the number of actions.
class NoEvidence {
 public:
  explicit NoEvidence(std::size_t actions) : actions_(actions) {}

  std::size_t actions() const noexcept { return actions_; }
  void observe(Action, double) noexcept {}
  void merge(const NoEvidence&) noexcept {}
  static void state(auto&, auto&&) {}

 private:
  std::size_t actions_;
};

// n_a and 1 / sqrt(n_a), which is infinite before the first reward. A reward changes those of one
// action only.
class PullCounts {
 public:
  explicit PullCounts(std::size_t actions)
      : pulls_(actions), width_(actions, std::numeric_limits<double>::infinity()) {}

  std::size_t actions() const noexcept { return pulls_.size(); }
  std::span<const double> width() const noexcept { return width_; }
  static double width_of(double count, double) noexcept { return 1.0 / std::sqrt(count); }
  void describe(auto&& column) const { column("count", "rewards learned from", pulls_); }
  // The action learned from last: its width is the last one to be ready.
  Action latest() const noexcept { return latest_; }

  void observe(Action action, double) noexcept {
    latest_ = action;
    pulls_[action] += 1.0;
    width_[action] = width_of(pulls_[action], 0.0);
  }

  // As if new.
  void restart() noexcept {
    std::ranges::fill(pulls_, 0.0);
    std::ranges::fill(width_, std::numeric_limits<double>::infinity());
  }

  void merge(const PullCounts& other) noexcept {
    for (std::size_t a = 0; a < pulls_.size(); ++a) {
      pulls_[a] += other.pulls_[a];
      width_[a] = width_of(pulls_[a], 0.0);
    }
  }

  static void state(auto& self, auto&& field) {
    field("pulls", self.pulls_);
    field("width", self.width_);
  }

 private:
  std::vector<double> pulls_, width_;
  Action latest_ = 0;
};

// The evidence on candidates known by id. An id without a reward counts as one whose only reward
// was predicted exactly: it has a finite width, is explored right away, and leaves the others their
// share. (Playing it first would send it every request until its first reward arrives, which may be
// minutes later.)
struct OfferedEvidence {
  std::span<const double> widths;
  std::span<const double> variances;  // tau2_a

  std::span<const double> width() const noexcept { return widths; }
  double variance(std::size_t candidate) const noexcept { return variances[candidate]; }
  static double log_n(std::uint64_t step) noexcept { return log_step(step); }
  static constexpr std::size_t unplayed() noexcept { return 0; }
  static constexpr bool is_unplayed(std::size_t) noexcept { return false; }
  static constexpr Action latest() noexcept { return 0; }
};

}  // namespace sau
