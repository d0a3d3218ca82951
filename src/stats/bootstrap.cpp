#include "stats/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sau/stats/summary.hpp"
#include "stats/distributions.hpp"
#include "stats/resampling.hpp"

namespace sau {
namespace detail {
namespace {

constexpr double kTail = 0.025;  // at each end of a 95 % interval

// A sixth of the skewness; 0 if all values are equal (Efron 1987, eq. 6.6).
double acceleration(std::span<const double> influence) {
  const double mean = mean_of(influence);
  double square = 0.0, cube = 0.0;
  for (const double value : influence) {
    const double away = value - mean;
    square += away * away;
    cube += away * away * away;
  }
  return square > 0.0 ? cube / (6.0 * std::pow(square, 1.5)) : 0.0;
}

// Like quantile(), without a full sort.
double quantile_of(std::span<double> values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(values, values.begin() + below);
  const double low = values[static_cast<std::size_t>(below)];
  const auto above = values.begin() + below + 1;
  if (above == values.end()) return low;
  return low +
         (place - static_cast<double>(below)) * (*std::min_element(above, values.end()) - low);
}

}  // namespace

double mean_of(std::span<const double> values) noexcept {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median_of(std::span<const double> sorted) noexcept { return quantile(sorted, 0.5); }

double mean_acceleration(std::span<const double> values) {
  // The jackknife values are linear in the values left out, so the values' own skewness will do.
  return acceleration(values);
}

double median_acceleration(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  std::vector<double> influence(n);
  for (std::size_t i = 0; i < n; ++i) {
    // The median of the other values: they skip index i, so later indices are one higher.
    const std::size_t low = (n - 2) / 2, high = (n - 1) / 2;
    const auto other = [&](std::size_t place) { return sorted[place < i ? place : place + 1]; };
    influence[i] = -0.5 * (other(low) + other(high));
  }
  return acceleration(influence);
}

Estimate bca_interval(double value, std::span<double> resampled, double acceleration) {
  const auto count = static_cast<double>(resampled.size());
  double below = 0.0;
  for (const double other : resampled) below += other < value ? 1.0 : other == value ? 0.5 : 0.0;
  // At least half a resample from the ends, so that the quantile is finite.
  const double share = std::clamp(below / count, 0.5 / count, 1.0 - 0.5 / count);
  const double bias = normal_quantile(share);
  const auto level = [&](double tail) {
    const double shifted = bias + normal_quantile(tail);
    const double stretch = 1.0 - acceleration * shifted;
    if (stretch <= 0.0) return shifted < 0.0 ? 0.0 : 1.0;
    return normal_cdf(bias + shifted / stretch);
  };
  return {value, quantile_of(resampled, level(kTail)), quantile_of(resampled, level(1.0 - kTail))};
}

}  // namespace detail

Estimate bootstrap(std::span<const double> values, Location location, std::uint64_t resamples,
                   const Stream& stream) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {kNone, kNone, kNone};
  std::vector<double> sorted(values.begin(), values.end());
  std::vector<std::uint32_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return values[i]; });
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
  const bool mean = location == Location::kMean;
  const double value = mean ? detail::mean_of(values) : detail::median_of(sorted);
  if (values.size() < 2 || resamples == 0) return {value, kNone, kNone};
  detail::Resampler resampler(values.size(), stream);
  std::vector<double> resampled(resamples);
  for (double& other : resampled) {
    const auto weights = resampler.next();
    other = mean ? detail::weighted_mean(values, weights)
                 : detail::weighted_median(sorted, order, weights);
  }
  return detail::bca_interval(
      value, resampled,
      mean ? detail::mean_acceleration(values) : detail::median_acceleration(sorted));
}

std::uint64_t resamples_for(std::uint64_t trials) noexcept {
  constexpr std::uint64_t kUsual = 2000, kFewest = 400, kMostTrials = 10'000;
  if (trials <= kMostTrials) return kUsual;
  return std::max(kFewest, kUsual * kMostTrials / trials);
}

}  // namespace sau
