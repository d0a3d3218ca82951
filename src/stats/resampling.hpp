#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sau/core/rng.hpp"

namespace sau::detail {

// Draws `size` out of `size` items with replacement, and says how often each was drawn.
class Resampler {
 public:
  Resampler(std::size_t size, const Stream& stream) : weights_(size), rng_(stream) {}

  // The counts of a new resample, which sum to the size. Valid until the next call.
  std::span<const double> next() noexcept;

 private:
  std::vector<double> weights_;
  Rng rng_;
};

// The random stream for resampling a problem's trials.
Stream resample_stream(std::string_view problem, std::string_view purpose);

// The mean when values[i] counts weights[i] times; the weights sum to the size.
double weighted_mean(std::span<const double> values, std::span<const double> weights) noexcept;

// The middle value, or the mean of the two middle ones, when sorted[i] counts weights[order[i]]
// times. `sorted` holds the values in the order `order`; the weights sum to the size.
double weighted_median(std::span<const double> sorted, std::span<const std::uint32_t> order,
                       std::span<const double> weights) noexcept;

}  // namespace sau::detail
