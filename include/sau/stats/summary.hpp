#pragma once

#include <span>

namespace sau {

// Summary of a set of trials: never the mean alone, since regret has heavy tails.
struct Summary {
  double mean = 0.0;
  double sem = 0.0;  // standard error of the mean; 0 for a single trial
  double median = 0.0;
  double p10 = 0.0;
  double p90 = 0.0;

  bool operator==(const Summary&) const = default;
};

// The q-quantile of values sorted in ascending order, interpolated between neighbours (type 7 of
// Hyndman & Fan 1996, as in NumPy and R). At least one value.
double quantile(std::span<const double> sorted, double q) noexcept;

// All zero for no values.
Summary summarise(std::span<const double> values);

}  // namespace sau
