#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/figures.hpp"

namespace sau::detail {
namespace {

// Ratio of regrets beyond which a linear axis shows little but the largest one.
constexpr double kWideRegrets = 20.0;

bool has_numbers(const Series& series) {
  return series.trials > series.failed && std::isfinite(series.final_median);
}

// Least regret at the top.
std::vector<const Series*> sorted_series(const ProblemFigure& figure) {
  std::vector<const Series*> sorted;
  for (const Series& series : figure.series) {
    if (has_numbers(series)) sorted.push_back(&series);
  }
  std::ranges::stable_sort(sorted, {}, [](const Series* series) { return series->final_median; });
  return sorted;
}

Scale regret_scale(const std::vector<const Series*>& all, bool log) {
  Range range;
  double middle = 0.0;  // upper quartile of the largest box
  for (const Series* series : all) {
    range.add(series->minimum);
    range.add(series->maximum);
    for (const double point : series->points) range.add(point);
    range.add(series->final_mean.value);
    middle = std::max(middle, series->q75);
  }
  if (range.empty()) return Scale::linear({.low = 0.0, .high = 1.0});
  const bool wide = range.low > 0.0 && range.high > kWideRegrets * range.low;
  if (range.low > 0.0 && (log || wide)) return Scale::logarithmic(range).widened(0.03, 0.03);
  // Some trials have no regret, others are stuck.
  if (middle > 0.0 && (log || range.high > kWideRegrets * middle)) {
    const double threshold = std::pow(10.0, std::floor(std::log10(middle)));
    return Scale::symmetric(range, threshold).widened(0.03, 0.03);
  }
  return Scale::linear(range).widened(0.03, 0.03);
}

// Evenly spread over [-1, 1] and deterministic: multiples of the golden ratio.
double jitter(std::size_t i) {
  return 2.0 * std::fmod(static_cast<double>(i) * 0.6180339887498949, 1.0) - 1.0;
}

void draw_points(RowPlot& plot, const Series& series, double y, double spread) {
  const Colour colour = plot.sheet.look(series.algorithm).colour;
  const double alpha = series.points.size() > 200 ? 0.3 : 0.5;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    plot.canvas.marker({plot.x(series.points[i]), y + spread * jitter(i)}, "circle", 1.5,
                       colour.faded(alpha), {colour, 0.0});
  }
}

void draw_mean(RowPlot& plot, const Series& series, double y) {
  const Look& look = plot.sheet.look(series.algorithm);
  plot.canvas.marker({plot.x(series.final_mean.value), y}, look.shape, 3.5, look.colour,
                     {plot.sheet.theme.paper, 1.2});
}

void draw_box(RowPlot& plot, const Series& series, double y, double half) {
  const Look& look = plot.sheet.look(series.algorithm);
  Canvas& canvas = plot.canvas;
  const Scale& x = plot.x;
  const Pen thin{look.colour, 1.4};
  const auto level = [&](double from, double to) {
    canvas.line(std::vector<Point>{{x(from), y}, {x(to), y}}, thin);
  };
  const auto upright = [&](double value, double reach, const Pen& pen) {
    canvas.line(std::vector<Point>{{x(value), y - reach}, {x(value), y + reach}}, pen);
  };
  level(series.whisker_low, series.q25);
  level(series.q75, series.whisker_high);
  upright(series.whisker_low, 0.5 * half, thin);
  upright(series.whisker_high, 0.5 * half, thin);
  canvas.rectangle({x(series.q25), y - half, x(series.q75), y + half}, look.colour.faded(0.22),
                   thin);
  upright(series.final_median, half, {plot.sheet.theme.ink, 2.4});
  draw_mean(plot, series, y);
}

}  // namespace

std::string draw_distribution(const Sheet& sheet, const ProblemFigure& figure) {
  const auto all = sorted_series(figure);
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Series* series : all) names.push_back(series->algorithm);
  Canvas canvas = sheet.canvas(figure.title, rows_height(sheet, all.size()));
  const Scale scale = regret_scale(all, sheet.options.log_axes);
  const std::string subtitle =
      all.empty() ? "no trial has finished yet"
                  : "box: middle half and median; whiskers: within 1.5 boxes; marker: mean";
  RowPlot plot(sheet, canvas, figure.title, subtitle, names,
               {.scale = scale,
                .title = fmt::format("regret after {} steps",
                                     short_number(static_cast<double>(figure.steps)))},
               10.0);
  const double unit = std::min(plot.row_height, 60.0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->trials - all[i]->failed == 1) {
      draw_mean(plot, *all[i], plot.row(i));
      continue;
    }
    draw_points(plot, *all[i], plot.row(i) + 0.27 * unit, 0.14 * unit);
    draw_box(plot, *all[i], plot.row(i) - 0.12 * unit, 0.2 * unit);
  }
  return canvas.finish();
}

}  // namespace sau::detail
