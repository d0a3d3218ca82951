#pragma once

#include <cstdint>

#include "sau/evaluate/intervals.hpp"

namespace sau::detail {

// Mean of numbers with importances u as they come (Welford 1962): no cancellation, however long the
// log.
class RunningMean {
 public:
  void add(double x, double u) noexcept {
    total_ += u;
    const double before = x - mean_;
    mean_ += u * before / total_;
    squares_ += u * before * (x - mean_);
  }
  double total() const noexcept { return total_; }
  double mean() const noexcept { return mean_; }
  double squares() const noexcept { return squares_; }  // sum of u (x - mean)^2

 private:
  double total_ = 0.0, mean_ = 0.0, squares_ = 0.0;
};

// Mean and its error: sum of u^2 (x - mean)^2 / (sum of u)^2, by the delta method.
class WeightedMoments {
 public:
  void add(double x, double u) noexcept {
    ++count_;
    by_importance_.add(x, u);
    by_square_.add(x, u * u);
  }
  double mean() const noexcept { return count_ == 0 ? kUndefined : by_importance_.mean(); }
  double squared_error() const noexcept {
    if (count_ < 2) return kUndefined;
    const double off = by_square_.mean() - mean(), total = by_importance_.total();
    const double squares = by_square_.squares() + by_square_.total() * off * off;
    const auto n = static_cast<double>(count_);
    return squares / (total * total) * (n / (n - 1.0));
  }
  // What x contributes. The mean of all contributions is mean().
  double contribution(double x, double u) const noexcept {
    const double usual = by_importance_.total() / static_cast<double>(count_);
    return mean() + u / usual * (x - mean());
  }

 private:
  std::uint64_t count_ = 0;
  RunningMean by_importance_, by_square_;  // by u and by u^2
};

}  // namespace sau::detail
