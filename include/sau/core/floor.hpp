#pragma once

#include <algorithm>
#include <span>

namespace sau {

// Gives each of n candidates a probability of at least floor / n, by mixing in uniform choices: as
// few as are needed, and none if all are large enough already. `floor` is from 0 to 1; 1 makes all
// equal. The probabilities still add up to 1, and those that were equal stay equal.
inline void raise_to_floor(double floor, std::span<double> probability) noexcept {
  if (probability.empty()) return;
  const double even = 1.0 / static_cast<double>(probability.size()), least = floor * even;
  const double smallest = *std::ranges::min_element(probability);
  if (!(smallest < least)) return;
  const double share = std::min((least - smallest) / (even - smallest), 1.0);
  // Rounding must not leave the smallest one below the floor.
  for (double& p : probability) p = std::max((1.0 - share) * p + share * even, least);
}

}  // namespace sau
