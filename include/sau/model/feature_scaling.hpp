#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "sau/core/archive.hpp"
#include "sau/core/shared_chunks.hpp"
#include "sau/model/joint_model.hpp"

namespace sau {

// Running mean and variance by Welford's recurrence (1962). After kMemory numbers old ones fade, so
// that it follows a drift.
struct RunningMoments {
  static constexpr double kMemory = 65536.0;

  double count = 0.0;
  double mean = 0.0;
  double variance = 0.0;

  void add(double x) noexcept {
    count = std::min(count + 1.0, kMemory);
    const double from_mean = x - mean, share = 1.0 / count;
    mean += share * from_mean;
    variance += share * (from_mean * (x - mean) - variance);
  }
};

// Scales a number x for a network: (x - shift) * factor. Numbers that never varied are only divided
// by their size.
struct Standardised {
  float shift = 0.0F;
  float factor = 1.0F;

  static constexpr float kLimit = 10.0F;  // so that an outlier does not drown the rest

  static Standardised of(const RunningMoments& moments) noexcept {
    const double spread = std::sqrt(moments.variance), size = std::abs(moments.mean);
    constexpr double kSmallest = 1e-30, kLargest = 1e30;
    if (spread > 1e-6 * size && spread >= kSmallest) {
      return {static_cast<float>(moments.mean),
              static_cast<float>(1.0 / std::min(spread, kLargest))};
    }
    return {0.0F, size >= kSmallest ? static_cast<float>(1.0 / size) : 1.0F};
  }

  float operator()(float x) const noexcept {
    return std::clamp((x - shift) * factor, -kLimit, kLimit);
  }
};

}  // namespace sau
