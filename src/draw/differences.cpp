#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/figures.hpp"

namespace sau::detail {
namespace {

constexpr double kSignificant = 0.05;
constexpr double kWideDifferences = 40.0;

// How an algorithm did against the reference.
struct Against {
  std::string algorithm;
  Estimate difference;
  std::uint64_t trials = 0, wins = 0;  // wins: less regret than the reference
  double p = 1.0;
};

Estimate turned(const Estimate& one) {
  return {.value = -one.value, .low = -one.high, .high = -one.low};
}

// The algorithm with the least mean regret, or median regret if there are heavy tails.
std::size_t reference_of(const ProblemFigure& figure) {
  const ProblemComparison& comparison = figure.comparison;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
    const auto series =
        std::ranges::find(figure.series, comparison.algorithms[i], &Series::algorithm);
    if (series == figure.series.end()) continue;
    const double regret = comparison.heavy_tails ? series->final_median : series->final_mean.value;
    if (regret < least) {
      least = regret;
      best = i;
    }
  }
  return best;
}

std::vector<Against> against(const ProblemComparison& comparison, std::size_t reference) {
  std::vector<Against> all;
  for (const PairComparison& pair : comparison.pairs) {
    if (pair.a != reference && pair.b != reference) continue;
    const Estimate& difference = comparison.heavy_tails ? pair.median : pair.mean;
    if (!std::isfinite(difference.value)) continue;
    const bool first = pair.b == reference;
    all.push_back({.algorithm = comparison.algorithms[first ? pair.a : pair.b],
                   .difference = first ? difference : turned(difference),
                   .trials = pair.trials,
                   .wins = first ? pair.wins : pair.losses,
                   .p = pair.p_holm});
  }
  std::ranges::stable_sort(all, {}, [](const Against& one) { return one.difference.value; });
  return all;
}

// Differences of very different sizes need an axis that is linear near 0 and logarithmic beyond.
Scale difference_scale(const std::vector<Against>& all) {
  Range range;
  range.add(0.0);
  std::vector<double> sizes;
  for (const Against& one : all) {
    for (const double value : {one.difference.value, one.difference.low, one.difference.high}) {
      range.add(value);
    }
    if (one.difference.value != 0.0) sizes.push_back(std::abs(one.difference.value));
  }
  std::ranges::sort(sizes);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (sizes.size() < 3 || largest < kWideDifferences * sizes[sizes.size() / 3]) {
    return Scale::linear(range).widened(0.05, 0.05);
  }
  const double threshold = std::pow(10.0, std::floor(std::log10(sizes.front()) + 0.5));
  return Scale::symmetric(range, threshold).widened(0.05, 0.05);
}

std::string remark(const Against& one) {
  const std::string p = one.p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", one.p);
  return fmt::format("{} of {}, {}", one.wins, one.trials, p);
}

}  // namespace

std::string draw_differences(const Sheet& sheet, const ProblemFigure& figure) {
  const ProblemComparison& comparison = figure.comparison;
  const std::size_t reference = reference_of(figure);
  const auto all = against(comparison, reference);
  std::vector<std::string> names;
  double right = 0.0;
  Canvas canvas = sheet.canvas(figure.title, rows_height(sheet, all.size()));
  const TextStyle quiet = small_text(sheet);
  for (const Against& one : all) {
    names.push_back(one.algorithm);
    right = std::max(right, canvas.text_width(remark(one), quiet) + 10.0);
  }
  const std::string name =
      reference < comparison.algorithms.size() ? comparison.algorithms[reference] : "";
  const std::string subtitle =
      "95 % bootstrap (BCa); filled: p < 0.05 (signed-rank, Holm); right: trials with less regret, "
      "p";
  RowPlot plot(sheet, canvas, figure.title, subtitle, names,
               {.scale = difference_scale(all),
                .title = fmt::format("{} difference of regret to {}",
                                     comparison.heavy_tails ? "median" : "mean", name)},
               right);
  canvas.line(std::vector<Point>{{plot.x(0.0), plot.area.top}, {plot.x(0.0), plot.area.bottom}},
              {sheet.theme.ink, 1.2});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Look& look = sheet.look(all[i].algorithm);
    const double y = plot.row(i);
    const Estimate& difference = all[i].difference;
    canvas.line(std::vector<Point>{{plot.x(difference.low), y}, {plot.x(difference.high), y}},
                {look.colour, 2.4});
    canvas.marker({plot.x(difference.value), y}, look.shape, 4.6,
                  all[i].p < kSignificant ? look.colour : sheet.theme.paper, {look.colour, 1.8});
    canvas.text({plot.area.right + 10.0, y}, remark(all[i]), quiet);
  }
  return canvas.finish();
}

}  // namespace sau::detail
