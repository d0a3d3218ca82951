#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace sau::bench {

// A histogram of times with classes three per cent wide, so that adding a time is cheap.
class Latencies {
 public:
  void add(std::uint64_t nanoseconds) {
    ++counts_[class_of(nanoseconds)];
    ++count_;
    longest_ = std::max(longest_, nanoseconds);
  }
  std::uint64_t count() const { return count_; }
  double longest() const { return 1e-6 * static_cast<double>(longest_); }

  // The time, in milliseconds, that this share of the times did not exceed.
  double quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      below += counts_[i];
      if (below > wanted) return std::min(1e-6 * static_cast<double>(end_of(i)), longest());
    }
    return longest();
  }

 private:
  static constexpr unsigned kBits = 5;  // kept after the leading 1 bit

  static std::size_t class_of(std::uint64_t time) {
    if (time < (2U << kBits)) return time;
    const auto shift = static_cast<unsigned>(std::bit_width(time)) - kBits - 1;
    return (shift << kBits) + (time >> shift);
  }
  static std::uint64_t end_of(std::size_t index) {
    if (index < (2U << kBits)) return index;
    const auto shift = static_cast<unsigned>(index >> kBits) - 1;
    return ((index - (std::size_t{shift} << kBits)) + 1) << shift;
  }

  std::array<std::uint64_t, 64U << kBits> counts_ = {};
  std::uint64_t count_ = 0, longest_ = 0;
};

}  // namespace sau::bench
