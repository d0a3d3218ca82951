#include "stats/resampling.hpp"

#include <algorithm>
#include <string>

#include "sau/core/text.hpp"

namespace sau::detail {

std::span<const double> Resampler::next() noexcept {
  std::ranges::fill(weights_, 0.0);
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[rng_.below(weights_.size())] += 1.0;
  return weights_;
}

Stream resample_stream(std::string_view problem, std::string_view purpose) {
  return {.seed = 0,
          .trial = 0,
          .scope = scope_of("resample " + std::string(purpose) + " " + std::string(problem)),
          .role = Role::kSetup};
}

double weighted_mean(std::span<const double> values, std::span<const double> weights) noexcept {
  // Four independent sums: a single one would wait for each addition.
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += weights[i + k] * values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += weights[i] * values[i];
  return (sums[0] + sums[1] + sums[2] + sums[3]) / static_cast<double>(values.size());
}

double weighted_median(std::span<const double> sorted, std::span<const std::uint32_t> order,
                       std::span<const double> weights) noexcept {
  // Indices of the two middle values; equal for an odd size.
  const std::size_t below = (sorted.size() - 1) / 2, above = sorted.size() / 2;
  const auto low = static_cast<double>(below), high = static_cast<double>(above);
  double passed = 0.0;
  std::size_t i = 0;
  while ((passed += weights[order[i]]) <= low) ++i;
  const double first = sorted[i];
  while (passed <= high) passed += weights[order[++i]];
  return 0.5 * (first + sorted[i]);
}

}  // namespace sau::detail
