#pragma once

#include <cmath>
#include <numbers>

namespace sau::testing {

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace sau::testing
