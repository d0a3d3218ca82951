#include "report/estimate_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/table_layout.hpp"

namespace sau::detail {
namespace {

constexpr double kLevel = 0.05;

}  // namespace

std::string estimate_text(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "-";
  if (!estimate.has_interval()) {
    return fmt::format("{:.{}f}", estimate.value, decimals_of(estimate.value, 4));
  }
  const double width = estimate.high - estimate.low;
  const int decimals = decimals_of(width > 0.0 ? width : estimate.value, width > 0.0 ? 3 : 4);
  return fmt::format("{0:.{3}f} [{1:.{3}f}, {2:.{3}f}]", estimate.value, estimate.low,
                     estimate.high, decimals);
}

std::string p_text(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

Winner winner_of(const PairComparison& pair) {
  if (pair.p_holm >= kLevel || pair.median.value == 0.0) return Winner::kNeither;
  return pair.median.value < 0.0 ? Winner::kA : Winner::kB;
}

}  // namespace sau::detail
