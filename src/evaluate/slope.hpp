#pragma once

#include <cstddef>
#include <span>

namespace sau::detail {

// An estimate and the half-width of its interval.
struct SlopeCandidate {
  double value = 0.0, half_width = 0.0;
};

// SLOPE (Su, Srinath & Krishnamurthy 2020): candidates in the order of growing bias and falling
// variance. The chosen one is the last whose interval, made twice as wide, still meets those of all
// before it. There must be at least one candidate.
std::size_t slope_choice(std::span<const SlopeCandidate> candidates) noexcept;

}  // namespace sau::detail
