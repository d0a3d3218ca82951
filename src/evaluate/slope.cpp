#include "evaluate/slope.hpp"

#include <algorithm>
#include <limits>

namespace sau::detail {

std::size_t slope_choice(std::span<const SlopeCandidate> candidates) noexcept {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    low = std::max(low, candidates[i].value - 2.0 * candidates[i].half_width);
    high = std::min(high, candidates[i].value + 2.0 * candidates[i].half_width);
    if (low > high) break;
    chosen = i;
  }
  return chosen;
}

}  // namespace sau::detail
