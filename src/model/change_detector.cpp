#include "sau/model/change_detector.hpp"

#include <algorithm>
#include <cmath>

namespace sau {

void ChangeDetector::add(double y) noexcept {
  ++count_;
  total_ += y;
  double carry = y;
  for (std::size_t l = 0; l < kLevels; ++l) {
    double* buckets = level(l);
    buckets[used_[l]++] = carry;
    if (used_[l] <= kBuckets) return;
    // Too many: the two oldest become one of the next level.
    carry = buckets[0] + buckets[1];
    std::copy(buckets + 2, buckets + used_[l], buckets);
    used_[l] -= 2;
  }
}

double ChangeDetector::statistic(bool away) const noexcept {
  if (count_ < 2) return 0.0;
  const auto n = static_cast<double>(count_);
  const double mean = std::clamp(total_ / n, 0.0, 1.0);
  double top = 0.0, late = 0.0, late_sum = 0.0, size = 1.0;
  for (std::size_t l = 0; l < kLevels; ++l, size *= 2.0) {
    const double* buckets = sum_.data() + l * (kBuckets + 1);
    for (std::uint64_t b = used_[l]; b-- > 0;) {
      late += size;
      late_sum += buckets[b];
      const double early = n - late;
      if (early < 0.5) return top;
      const double before = std::clamp((total_ - late_sum) / early, 0.0, 1.0);
      const double after = std::clamp(late_sum / late, 0.0, 1.0);
      if (away && std::abs(after - 0.5) <= std::abs(before - 0.5)) continue;
      top = std::max(top, early * bernoulli_kl(before, mean) + late * bernoulli_kl(after, mean));
    }
  }
  return top;
}

bool ChangeDetector::changed(double delta, bool away) const noexcept {
  const auto n = static_cast<double>(count_);
  return count_ >= 2 && statistic(away) > std::log(3.0 * n * std::sqrt(n) / delta);
}

bool ChangeDetector::valid() const noexcept {
  return std::ranges::all_of(used_, [](std::uint64_t used) { return used <= kBuckets; });
}

void ChangeDetector::restart() noexcept {
  count_ = 0;
  total_ = 0.0;
  std::ranges::fill(used_, 0U);
  std::ranges::fill(sum_, 0.0);
}

}  // namespace sau
