#include <fmt/format.h>

#include <algorithm>

#include "report/report_parts.hpp"

namespace sau::detail {
namespace {

constexpr double kCostLevel = 0.05;
constexpr double kEqual = 1.05;  // times of trials differ by this much without a reason
constexpr std::size_t kMostNames = 4;

// The one of a pair with less regret, as an index of the comparison; -1 if that is not clear. Both
// the test and the interval of the mean must say so: typical trials and the average.
std::ptrdiff_t better_of(const PairComparison& pair) {
  if (pair.p >= kCostLevel || !pair.mean.has_interval()) return -1;
  if (pair.mean.high < 0.0 && pair.median.value < 0.0) return static_cast<std::ptrdiff_t>(pair.a);
  if (pair.mean.low > 0.0 && pair.median.value > 0.0) return static_cast<std::ptrdiff_t>(pair.b);
  return -1;
}

}  // namespace

std::string costs_text(const ProblemFigure& figure) {
  const ProblemComparison& comparison = figure.comparison;
  const auto seconds = [&](std::size_t algorithm) {
    const auto found =
        std::ranges::find(figure.series, comparison.algorithms[algorithm], &Series::algorithm);
    return found == figure.series.end() ? 0.0 : found->seconds;
  };
  std::string text;
  for (std::size_t loser = 0; loser < comparison.algorithms.size(); ++loser) {
    std::vector<std::string> winners;
    for (const PairComparison& pair : comparison.pairs) {
      const std::ptrdiff_t better = better_of(pair);
      if (better < 0 || (pair.a != loser && pair.b != loser)) continue;
      const auto winner = static_cast<std::size_t>(better);
      const double cost = seconds(winner);
      if (winner == loser || cost <= 0.0 || cost > kEqual * seconds(loser)) continue;
      winners.push_back(comparison.algorithms[winner]);
    }
    if (winners.empty()) continue;
    text +=
        fmt::format("{}than {}: {}", text.empty() ? "Less regret at no more processor time " : "; ",
                    comparison.algorithms[loser], listed(winners, kMostNames));
  }
  return text.empty() ? text : text + ".";
}

}  // namespace sau::detail
