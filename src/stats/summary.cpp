#include "sau/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

std::optional<TwoGroups> two_groups(std::span<const double> values) {
  constexpr std::size_t kFewestValues = 20, kFewestInGroup = 3;
  constexpr double kLeastShare = 0.02, kApart = 6.0;
  const std::size_t count = values.size();
  if (count < kFewestValues) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  // Sums of the centred values, so that large numbers do not cancel.
  const double centre = sorted[count / 2];
  std::vector<double> sum(count + 1), square(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double off = sorted[i] - centre;
    sum[i + 1] = sum[i] + off;
    square[i + 1] = square[i] + off * off;
  }
  // Mean and squared distances to it of values first to last - 1.
  const auto mean = [&](std::size_t first, std::size_t last) {
    return (sum[last] - sum[first]) / static_cast<double>(last - first);
  };
  const auto distances = [&](std::size_t first, std::size_t last) {
    const double m = mean(first, last);
    return std::max(0.0, square[last] - square[first] - static_cast<double>(last - first) * m * m);
  };
  const auto least =
      std::max(kFewestInGroup,
               static_cast<std::size_t>(std::ceil(kLeastShare * static_cast<double>(count))));
  std::size_t best = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t split = least; split + least <= count; ++split) {
    const double within = distances(0, split) + distances(split, count);
    if (within < lowest) {
      lowest = within;
      best = split;
    }
  }
  const auto variance = [&](std::size_t first, std::size_t last) {
    return distances(first, last) / static_cast<double>(last - first);
  };
  const double gap = mean(best, count) - mean(0, best);
  const double spread = std::sqrt(variance(0, best) + variance(best, count));
  if (!(gap > 0.0 && std::sqrt(2.0) * gap > kApart * spread)) return std::nullopt;
  return TwoGroups{.low = centre + mean(0, best),
                   .high = centre + mean(best, count),
                   .share = static_cast<double>(count - best) / static_cast<double>(count)};
}

}  // namespace sau
