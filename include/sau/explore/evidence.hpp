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
//  - describe(column): calls column(name, meaning, numbers) for what people may want to see of it,
//    one number per action.
//
// What is known about actions that come and go by id is kept for every strategy in the same form:
// an IdRecord for each id and one IdTotals. A strategy whose rule needs more than n_a and S2_a
// keeps it in their field `own`. For that its evidence has
//  - width_of(count, squares): the number that the rule uses, from n_a and S2_a;
//  - or own_width(record, totals): the same from the record, which is null for a new id;
//  - keeps_own(): whether `own` is used, so that it is saved;
//  - kUsesProbability: there if it learns from the probability with which an action was chosen;
//  - observe_id(record, totals, lesson): records a reward, if that is more than adding its squared
//    residual to S2_a;
//  - known(record, totals): n_a and S2_a as they are now, if they change without a reward;
//  - counted(totals): how many rewards count in ln n, if not all of them do.

// ln n for the bonus of step n. At least ln 2, so that without an opening the first choice has a
// bonus too.
inline double log_step(std::uint64_t step) noexcept {
  return std::log(static_cast<double>(std::max<std::uint64_t>(step, 2)));
}
// The same after this many rewards; the number may be discounted.
inline double log_of_rewards(double rewards) noexcept {
  return std::log(std::max(2.0, rewards + 1.0));
}

// What is known about an action id.
struct IdRecord {
  std::uint64_t count = 0;  // rewards
  double squares = 1.0;     // S2_a
  double reward_sum = 0.0;
  std::uint64_t last_seen = 0;  // number of its latest reward, counted over all ids
  double own = 0.0;             // what else the strategy keeps
};

// What is known about all ids together.
struct IdTotals {
  std::uint64_t learned = 0;  // rewards
  std::size_t ids = 0;        // with a record
  double own = 0.0;           // what else the strategy keeps
};

// A reward of an action known by id.
struct IdLesson {
  double residual = 0.0, reward = 0.0;
  double probability = 1.0;  // of the action, when it was chosen
};

// n_a and S2_a.
struct CountAndSquares {
  double count = 1.0, squares = 1.0;
};

// Squared residuals of all actions.
struct PooledResiduals {
  std::uint64_t count = 0;
  double squares = 0.0;

  void add(double residual) noexcept {
    ++count;
    squares += residual * residual;
  }
  // Their mean. While all of them are 0, it is 1: nothing says how large a residual is, so any unit
  // will do.
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
  double counted = 0.0;               // the rewards that count in ln n

  std::span<const double> width() const noexcept { return widths; }
  double variance(std::size_t candidate) const noexcept { return variances[candidate]; }
  double log_n(std::uint64_t) const noexcept { return log_of_rewards(counted); }
  static constexpr std::size_t unplayed() noexcept { return 0; }
  static constexpr bool is_unplayed(std::size_t) noexcept { return false; }
  static constexpr Action latest() noexcept { return 0; }
};

}  // namespace sau
