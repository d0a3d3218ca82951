#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sau/core/bernoulli_kl.hpp"

namespace sau {

// Says whether the mean of numbers in [0, 1] has changed, by the generalised likelihood ratio (GLR)
// of coins (Besson et al. 2022): with m, m1 and m2 the means of all n numbers, of the first s and
// of the rest,
//     G = max over s of  s kl(m1, m) + (n - s) kl(m2, m)
// is compared with ln(3 n^(3/2) / delta).
//
// Numbers are kept in buckets, and older buckets hold more of them, so that memory and time grow
// with ln n. s is a boundary between two buckets, so the time since a change is known to within
// about an eighth.
class ChangeDetector {
 public:
  ChangeDetector() : sum_(kLevels * (kBuckets + 1)) {}

  std::uint64_t count() const noexcept { return count_; }
  void add(double y) noexcept;
  // G. With `away`, only over splits whose second mean is farther from 1/2 than the first.
  double statistic(bool away = false) const noexcept;
  bool changed(double delta, bool away = false) const noexcept;
  void restart() noexcept;

  // Whether a loaded state is possible.
  bool valid() const noexcept;

  static void state(auto& self, auto&& field) {
    field("numbers", self.count_);
    field("total", self.total_);
    field("bucket_sums", self.sum_);
    field("buckets_used", self.used_);
  }

 private:
  static constexpr std::size_t kLevels = 40, kBuckets = 8;

  double* level(std::size_t l) noexcept { return sum_.data() + l * (kBuckets + 1); }

  std::uint64_t count_ = 0;
  double total_ = 0.0;
  // Level l has buckets of 2^l numbers, the oldest first.
  std::vector<double> sum_;
  std::vector<std::uint64_t> used_ = std::vector<std::uint64_t>(kLevels);
};

}  // namespace sau
