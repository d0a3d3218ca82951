#include "sau/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sau {

double quantile(std::span<const double> sorted, double q) noexcept {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Summary summarise(std::span<const double> values) {
  if (values.empty()) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  double sum = 0.0;
  for (const double value : sorted) sum += value;
  const double mean = sum / n;
  double squares = 0.0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  return {.mean = mean,
          .sem = sorted.size() > 1 ? std::sqrt(squares / (n - 1.0) / n) : 0.0,
          .median = quantile(sorted, 0.5),
          .p10 = quantile(sorted, 0.1),
          .p90 = quantile(sorted, 0.9)};
}

}  // namespace sau
