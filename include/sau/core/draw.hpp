#pragma once

#include <cstddef>
#include <functional>
#include <ranges>

namespace sau {

// The first index at which the running sum of the probabilities exceeds u, which is in [0, 1).
// An index with probability 0 is never drawn, however the sum is rounded.
template <std::ranges::random_access_range Range, class Probability = std::identity>
std::size_t draw_from(const Range& range, double u, Probability probability = {}) noexcept {
  std::size_t drawn = 0, place = 0;
  double sum = 0.0;
  for (const auto& item : range) {
    const double p = std::invoke(probability, item);
    if (p > 0.0) {
      drawn = place;
      sum += p;
      if (u < sum) break;
    }
    ++place;
  }
  return drawn;
}

}  // namespace sau
