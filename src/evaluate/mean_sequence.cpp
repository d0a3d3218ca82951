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

LowerMeanSequence::Logs LowerMeanSequence::logs(std::size_t shift) const noexcept {
  Logs logs;
  for (std::size_t b = 0; b < kBets; ++b) {
    logs[b] = sums_[shift].logs[b] + std::log(sums_[shift].product[b]);
  }
  return logs;
}

double LowerMeanSequence::log_wealth(double m) const noexcept {
  return log_wealth(m, [this](std::size_t shift) { return logs(shift); });
}

template <class LogsOf>
double LowerMeanSequence::log_wealth(double m, const LogsOf& logs_of) const noexcept {
  const auto t = static_cast<double>(count_);
  double most = -std::numeric_limits<double>::infinity();
  std::array<double, kBets> terms{};
  double total = 0.0;
  // The logarithm of a sum of exponentials, shift by shift.
  for (std::size_t i = 0; i < shifts_.size(); ++i) {
    const double above = std::max(0.0, m + shifts_[i]);
    const Logs& logs = logs_of(i);
    double here = most;
    for (std::size_t b = 0; b < kBets; ++b) {
      terms[b] = logs[b] - t * std::log(1.0 + bets()[b] * above);
      here = std::max(here, terms[b]);
    }
    total *= std::exp(most - here);
    most = here;
    for (const double term : terms) total += std::exp(term - most);
  }
  return most + std::log(total / static_cast<double>(kBets * shifts_.size()));
}

// The mean at which the bet that gains most has turned 1 into exp(gain).
double LowerMeanSequence::mean_at(std::span<const Logs> logs, double gain) const noexcept {
  const auto t = static_cast<double>(count_);
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < shifts_.size(); ++i) {
    for (std::size_t b = 0; b < kBets; ++b) {
      most = std::max(most, std::expm1((logs[i][b] - gain) / t) / bets()[b] - shifts_[i]);
    }
  }
  return most;
}

double LowerMeanSequence::bound(double alpha, double least) const {
  if (count_ == 0) return least;
  std::vector<Logs> logs;
  for (std::size_t i = 0; i < shifts_.size(); ++i) logs.push_back(this->logs(i));
  const double goal = -std::log(alpha);
  const auto logs_of = [&logs](std::size_t shift) -> const Logs& { return logs[shift]; };
  const auto excess = [&](double m) { return log_wealth(m, logs_of) - goal; };
  double at_low = excess(least);
  if (at_low < 0.0) return least;
  // At `low` the best bet alone has enough; at `high` no bet has gained anything.
  double low = least, high = std::max(least, mean_at(logs, 0.0));
  const double alone = mean_at(logs, goal + std::log(static_cast<double>(kBets * shifts_.size())));
  if (const double there = alone > least ? excess(alone) : -1.0; there >= 0.0) {
    low = alone;
    at_low = there;
  }
  double at_high = excess(high);
  // False position; an end that stays twice counts half (Illinois). `low` stays excluded, so the
  // result never promises too much.
  constexpr int kSteps = 100;
  int kept = 0;  // how often the low end (positive) or the high end stayed
  for (int i = 0; i < kSteps && high - low > 1e-12 * (1.0 + std::abs(high)); ++i) {
    const double share = at_low / (at_low - at_high);
    const double middle =
        share > 0.0 && share < 1.0 ? low + share * (high - low) : 0.5 * (low + high);
    const double there = excess(middle);
    if (there >= 0.0) {
      low = middle;
      at_low = there;
      kept = std::min(0, kept) - 1;
      if (kept <= -2) at_high *= 0.5;
    } else {
      high = middle;
      at_high = there;
      kept = std::max(0, kept) + 1;
      if (kept >= 2) at_low *= 0.5;
    }
  }
  return low;
}

}  // namespace sau
