#pragma once

#include <optional>
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

// Values that fall into two groups apart from each other, such as trials that found the best action
// and trials that did not.
struct TwoGroups {
  double low = 0.0, high = 0.0;  // means of the groups
  double share = 0.0;            // of the values in the upper group

  bool operator==(const TwoGroups&) const = default;
};

// Splits the values where the squared distances to the two means are least. They are two groups if
// there are at least 20 values, each group has at least 3 of them and 2 %, and the means are far
// apart: Ashman's D, sqrt(2) |m1 - m2| / sqrt(s1^2 + s2^2), is above 6 (Ashman, Bird & Zepf 1994
// ask for 2; but the best split of one normal group has 2.7 already). Of 1000 samples of 20 to 100
// normal, uniform, exponential and log-normal numbers, at most 3, 9, 28 and 34 count as two groups.
std::optional<TwoGroups> two_groups(std::span<const double> values);

// All zero for no values.
Summary summarise(std::span<const double> values);

}  // namespace sau
