#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"

namespace sau {

struct SampleMeanOptions {
  double discount = 1.0;
  void fields(auto&& field) {
    field("discount", discount, "weight of a reward after every further reward; 1: a plain mean",
          Bounds{.min = 0.5, .max = 1.0});
  }
};

// Mean reward of every action, by the recurrence  m_a <- m_a + (r - m_a) / n_a
// (Sutton & Barto 2018, eq. 2.3). Ignores the context; an action never played is worth 0. With
// discount < 1 every reward, of whatever action, first multiplies all n_a by it: old rewards count
// less.
class SampleMean {
 public:
  static constexpr std::string_view kName = "sample_mean";
  static constexpr std::string_view kSummary = "mean reward of every action, context ignored";
  static constexpr bool kCheapSteps = true;
  static constexpr bool kUsesContext = false;
  static constexpr RewardRange kRewards{};
  using Options = SampleMeanOptions;

  explicit SampleMean(const Setup& setup, Options options = {})
      : discount_(options.discount),
        forgets_(options.discount != 1.0),
        mean_(setup.shape.actions),
        pulls_(setup.shape.actions) {}

  std::span<const double> values(Context) const noexcept { return mean_; }

  void update(Context, Action action, double reward) noexcept {
    if (forgets_) [[unlikely]]
      forget();
    pulls_[action] += 1.0;
    mean_[action] += (reward - mean_[action]) / pulls_[action];
  }

  void describe(auto&& column) const {
    column("count", "rewards learned from", pulls_);
    column("mean", "mean reward", mean_);
  }

  void grow(Action actions) {
    mean_.resize(actions);
    pulls_.resize(actions);
  }

  // Whether means that were learned separately add up.
  bool sums() const noexcept { return !forgets_; }
  void merge(const SampleMean& other) noexcept {
    for (std::size_t a = 0; a < mean_.size(); ++a) {
      if (other.pulls_[a] == 0.0) continue;
      pulls_[a] += other.pulls_[a];
      mean_[a] += (other.mean_[a] - mean_[a]) * (other.pulls_[a] / pulls_[a]);
    }
  }

  static void state(auto& self, auto&& field) {
    field("mean", self.mean_);
    field("pulls", self.pulls_);
  }

 private:
  [[gnu::noinline]] void forget() noexcept {
    for (double& pulls : pulls_) pulls *= discount_;
  }

  double discount_;
  bool forgets_;  // discount < 1; quicker to test in every step
  std::vector<double> mean_, pulls_;
};

}  // namespace sau
