#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "sau/core/types.hpp"

namespace sau {

// An estimate, or the end of an interval, that is undefined.
inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// Two ends. Both are NaN if there is no interval.
struct Interval {
  double low, high;
};

enum class IntervalKind : std::uint8_t { kAnytime, kNormal, kBootstrap, kBernstein, kLikelihood };
constexpr std::array<std::string_view, 5> enum_names(IntervalKind) {
  return {"anytime", "normal", "bootstrap", "bernstein", "likelihood"};
}

// From the squared standard error. alpha: the chance to be wrong.
Interval normal_interval(double value, double squared_error, double alpha);

// Empirical Bernstein (Maurer & Pontil 2009) for the mean of n numbers in a range of this width.
Interval bernstein_interval(double value, double squared_error, std::uint64_t n, double width,
                            double alpha);

// Sums over decisions for likelihood_interval(): of powers of w, and of w times the reward.
struct LikelihoodSums {
  std::uint64_t count = 0;
  double w = 0.0, ww = 0.0, wr = 0.0, wwr = 0.0, wwrr = 0.0;

  void add(double weight, double reward) noexcept {
    ++count;
    w += weight;
    ww += weight * weight;
    wr += weight * reward;
    wwr += weight * weight * reward;
    wwrr += weight * weight * reward * reward;
  }
};

// Empirical likelihood in the Cressie-Read form of power -2, where it has a closed form
// (Karampatziakis, Langford & Mineiro 2020): the values of all re-weighted logs in which the
// weights have mean 1, and which are not too far from the log by chi-square. One decision with the
// least or the largest weight and the worst reward is added, since the log may have missed it.
Interval likelihood_interval(const LikelihoodSums& sums, double largest_weight,
                             const RewardRange& range, double alpha);

}  // namespace sau
