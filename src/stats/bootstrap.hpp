#pragma once

#include <span>
#include <vector>

#include "sau/stats/compare.hpp"

namespace sau::detail {

// The interval of a statistic from its resampled values, which get reordered.
// `acceleration` is a sixth of the skewness of its jackknife values.
Estimate bca_interval(double value, std::span<double> resampled, double acceleration);

// The acceleration of the mean and of the median; at least two values.
double mean_acceleration(std::span<const double> values);
double median_acceleration(std::span<const double> sorted);

double mean_of(std::span<const double> values) noexcept;
double median_of(std::span<const double> sorted) noexcept;

}  // namespace sau::detail
