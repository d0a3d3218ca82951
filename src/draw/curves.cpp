#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "draw/figures.hpp"
#include "draw/labels.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kMarkers = 5;  // along a line
constexpr double kFarOut = 2.5;      // Uniform's regret relative to the others'

// "mean of 500 trials with 95 % interval".
std::string trials_text(const ProblemFigure& figure) {
  std::uint64_t least = UINT64_MAX, most = 0;
  bool band = false;
  for (const Series& series : figure.series) {
    const std::uint64_t counted = series.trials - std::min(series.failed, series.trials);
    least = std::min(least, counted);
    most = std::max(most, counted);
    band = band || !series.low.empty();
  }
  if (most == 0) return "no trial has finished yet";
  const std::string counts =
      least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
  if (most == 1) return "a single trial";
  return fmt::format(
      "mean of {} trials{}{}", counts, band ? " with 95 % interval" : "",
      figure.comparison.heavy_tails ? "; a few trials dominate some of the means" : "");
}

// How many of the figure's points the series has.
std::size_t length_of(const Series& series, const ProblemFigure& figure) {
  return std::min(series.mean.size(), figure.points.size());
}

Range steps_range(const ProblemFigure& figure, bool log) {
  Range range;
  if (!log) range.add(0.0);
  for (const std::uint64_t step : figure.points) range.add(static_cast<double>(step));
  return range;
}

bool plays_at_random(const Series& series) {
  return series.agent_spec == "uniform" || series.agent_spec.ends_with("+uniform");
}

Range regret_range(const ProblemFigure& figure, bool log) {
  Range all, learners;
  for (const Series& series : figure.series) {
    for (const auto& values : {std::span(series.mean), std::span(series.high)}) {
      for (const double value : values) {
        if (log && value <= 0.0) continue;
        all.add(value);
        if (!plays_at_random(series)) learners.add(value);
      }
    }
  }
  if (log) return all;
  all.add(0.0);
  // Random play is only a baseline: it may leave the picture if it would squeeze the others.
  if (learners.empty() || all.high < kFarOut * learners.high) return all;
  learners.add(all.low);
  return learners;
}

void draw_band(Plot& plot, const ProblemFigure& figure, const Series& series) {
  const std::size_t size =
      std::min({length_of(series, figure), series.low.size(), series.high.size()});
  std::vector<Point> outline;
  for (std::size_t i = 0; i < size; ++i) {
    outline.push_back(
        {plot.x(static_cast<double>(figure.points[i])), plot.y.clamped(series.high[i])});
  }
  for (std::size_t i = size; i-- > 0;) {
    outline.push_back(
        {plot.x(static_cast<double>(figure.points[i])), plot.y.clamped(series.low[i])});
  }
  if (size > 1) plot.canvas.polygon(outline, plot.sheet.look(series.algorithm).colour.faded(0.16));
}

// Each line has its markers at different steps, so that lines on top of each other stay visible.
void draw_markers(Plot& plot, const std::vector<Point>& points, const Look& look, double offset) {
  double next = plot.area.left + plot.area.width() * (0.2 + offset) / kMarkers;
  for (const Point& point : points) {
    if (!(point.x >= next) || !std::isfinite(point.y)) continue;
    plot.canvas.marker(point, look.shape, 3.6, look.colour, {plot.sheet.theme.paper, 0.8});
    while (point.x >= next) next += plot.area.width() / kMarkers;
  }
}

// A single point gets only a marker.
void draw_line(Plot& plot, const ProblemFigure& figure, const Series& series, double offset) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < length_of(series, figure); ++i) {
    points.push_back({plot.x(static_cast<double>(figure.points[i])), plot.y(series.mean[i])});
  }
  const Look& look = plot.sheet.look(series.algorithm);
  plot.canvas.line(points, {look.colour, 2.0, look.dash});
  draw_markers(plot, points, look, offset);
}

// `top`: the upper end of the axis.
std::vector<LineLabel> labels_of(const ProblemFigure& figure, double top) {
  std::vector<LineLabel> labels;
  for (const Series& series : figure.series) {
    if (length_of(series, figure) == 0) continue;
    const double last = series.mean[length_of(series, figure) - 1];
    const bool beyond = last > top;
    labels.push_back({.algorithm = series.algorithm,
                      .place = last,
                      .remark = beyond ? " \u2191 " + short_number(last) : "",
                      .leader = !beyond});
  }
  return labels;
}

}  // namespace

std::string draw_curves(const Sheet& sheet, const ProblemFigure& figure) {
  const bool log = sheet.options.log_axes;
  const Range steps = steps_range(figure, log), regrets = regret_range(figure, log);
  auto labels = labels_of(figure, regrets.high);
  Canvas canvas = sheet.canvas(figure.title, labels_height(sheet, labels.size()));
  Plot plot(sheet, canvas, figure.title, trials_text(figure),
            {.scale = log ? Scale::logarithmic(steps) : Scale::linear(steps), .title = "step"},
            {.scale = log ? Scale::logarithmic(regrets) : Scale::linear(regrets).widened(0.0, 0.02),
             .title = "regret"},
            labels_width(sheet, canvas, labels));
  canvas.clip({plot.area.left, plot.area.top, plot.area.right + 5.0, plot.area.bottom + 1.0});
  for (const Series& series : figure.series) draw_band(plot, figure, series);
  // Draw the first algorithms last, on top of the others.
  for (std::size_t i = figure.series.size(); i-- > 0;) {
    draw_line(plot, figure, figure.series[i],
              static_cast<double>(i) / static_cast<double>(figure.series.size()));
  }
  canvas.unclip();
  for (LineLabel& label : labels) label.place = plot.y.clamped(label.place);
  draw_labels(plot, labels, LabelKind::kLine);
  return canvas.finish();
}

}  // namespace sau::detail
