#include "sau/evaluate/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/distributions.hpp"

namespace sau {
namespace {

// The least and the largest value of sum q w r over q with sum q = 1, sum q w = 1 and
// n sum (q - 1/n)^2 at most `distance` / n above its minimum.
//
// With z = w r, and e what is left of z after a regression on 1 and w: the q that is closest to 1/n
// gives v = mean z + (1 - mean w) cov(w, z) / var w, and moving q along e changes it by up to
// sqrt(distance / n * var e).
Interval reweighted(const LikelihoodSums& sums, double distance) {
  const auto n = static_cast<double>(sums.count);
  const double w = sums.w / n, z = sums.wr / n;
  const double var_w = sums.ww / n - w * w, cov = sums.wwr / n - w * z;
  const double var_z = std::max(0.0, sums.wwrr / n - z * z);
  const bool flat = var_w <= 1e-12 * (w * w);
  const double slope = flat ? 0.0 : cov / var_w;
  const double middle = z + (1.0 - w) * slope;
  const double rest = std::max(0.0, flat ? var_z : var_z - cov * slope);
  const double half = std::sqrt(distance / n * rest);
  return {middle - half, middle + half};
}

}  // namespace

Interval normal_interval(double value, double squared_error, double alpha) {
  const double half = detail::normal_quantile(1.0 - alpha / 2.0) * std::sqrt(squared_error);
  return {value - half, value + half};
}

Interval bernstein_interval(double value, double squared_error, std::uint64_t n, double width,
                            double alpha) {
  if (n < 2 || !std::isfinite(width)) return {kUndefined, kUndefined};
  // Each side gets half of alpha; their theorem 4 has ln(2 / delta) for one side.
  const double log_term = std::log(4.0 / alpha);
  const double half = std::sqrt(2.0 * squared_error * log_term) +
                      7.0 * width * log_term / (3.0 * (static_cast<double>(n) - 1.0));
  return {value - half, value + half};
}

Interval likelihood_interval(const LikelihoodSums& sums, double largest_weight,
                             const RewardRange& range, double alpha) {
  if (sums.count < 2 || !std::isfinite(largest_weight)) return {kUndefined, kUndefined};
  // The square of Student's t is the F distribution with one degree of freedom.
  const auto n = static_cast<double>(sums.count);
  const double t = detail::student_quantile(1.0 - alpha / 2.0, n - 1.0);
  Interval found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double weight : {0.0, largest_weight}) {
    LikelihoodSums least = sums, most = sums;
    least.add(weight, range.min);
    most.add(weight, range.max);
    found.low = std::min(found.low, reweighted(least, t * t).low);
    found.high = std::max(found.high, reweighted(most, t * t).high);
  }
  return {std::max(found.low, range.min), std::min(found.high, range.max)};
}

}  // namespace sau
