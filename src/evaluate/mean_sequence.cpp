#include "sau/evaluate/mean_sequence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sau/core/error.hpp"

namespace sau {

const std::array<double, LowerMeanSequence::kBets>& LowerMeanSequence::bets() noexcept {
  static const std::array<double, kBets> kGrid = [] {
    std::array<double, kBets> grid{};
    for (std::size_t i = 0; i < kBets; ++i) {
      grid[i] = std::exp2(-14.0 + 0.5 * static_cast<double>(i));
    }
    return grid;
  }();
  return kGrid;
}

LowerMeanSequence::LowerMeanSequence(std::span<const double> shifts)
    : shifts_(shifts.begin(), shifts.end()), sums_(shifts.size()) {
  SAU_ASSERT(!shifts.empty() && *std::ranges::min_element(shifts) >= 0.0,
             "there is a shift, and none is negative");
  for (Sums& sums : sums_) sums.product.fill(1.0);
}

void LowerMeanSequence::add(std::span<const double> y) noexcept {
  SAU_ASSERT(y.size() == shifts_.size(), "one number per shift");
  constexpr double kFull = 0x1p500;
  double top = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) top = std::max(top, y[i] + shifts_[i]);
  const double factor = 1.0 + bets().back() * top;
  // The products stay below kFull: they are moved to the logarithms before they reach it.
  if (largest_ * factor > kFull) transfer();
  largest_ *= factor;
  for (std::size_t i = 0; i < y.size(); ++i) {
    // Rounding may put y a little below -shift.
    const double above = std::max(0.0, y[i] + shifts_[i]);
    const auto& grid = bets();
    auto& product = sums_[i].product;
    for (std::size_t b = 0; b < kBets; ++b) product[b] *= 1.0 + grid[b] * above;
  }
  ++count_;
}

void LowerMeanSequence::transfer() noexcept {
  for (Sums& sums : sums_) {
    for (std::size_t b = 0; b < kBets; ++b) {
      sums.logs[b] += std::log(sums.product[b]);
      sums.product[b] = 1.0;
    }
  }
  largest_ = 1.0;
}

double LowerMeanSequence::log_wealth(double m) const noexcept {
  const auto t = static_cast<double>(count_);
  double most = -std::numeric_limits<double>::infinity();
  std::array<double, kBets> terms{};
  double total = 0.0;
  // The logarithm of a sum of exponentials, shift by shift.
  for (std::size_t i = 0; i < shifts_.size(); ++i) {
    const double above = std::max(0.0, m + shifts_[i]);
    double here = most;
    for (std::size_t b = 0; b < kBets; ++b) {
      terms[b] =
          sums_[i].logs[b] + std::log(sums_[i].product[b]) - t * std::log1p(bets()[b] * above);
      here = std::max(here, terms[b]);
    }
    total *= std::exp(most - here);
    most = here;
    for (const double term : terms) total += std::exp(term - most);
  }
  return most + std::log(total / static_cast<double>(kBets * shifts_.size()));
}

double LowerMeanSequence::bound(double alpha, double least) const noexcept {
  if (count_ == 0) return least;
  const double goal = -std::log(alpha);
  if (log_wealth(least) < goal) return least;
  double low = least, step = 1e-3;
  double high = least + step;
  while (log_wealth(high) >= goal) {
    low = high;
    step *= 2.0;
    high += step;
    if (!std::isfinite(high)) return low;
  }
  // `low` stays excluded, so the result never promises too much.
  constexpr int kSteps = 40;
  for (int i = 0; i < kSteps && high - low > 1e-13 * (1.0 + std::abs(high)); ++i) {
    const double middle = 0.5 * (low + high);
    (log_wealth(middle) >= goal ? low : high) = middle;
  }
  return low;
}

}  // namespace sau
