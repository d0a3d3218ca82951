#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/figures.hpp"
#include "draw/labels.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

constexpr double kWideLines = 12.0;

using Line = ParameterFigure::Line;

Range regret_range(const ParameterFigure& figure) {
  Range range;
  for (const Line& line : figure.lines) {
    for (const Estimate& regret : line.regret) {
      range.add(regret.value);
      range.add(regret.high);
      if (regret.low > 0.0) range.add(regret.low);
    }
    for (const PaperValue& paper : line.paper) range.add(paper.mean);
  }
  return range;
}

Scale regret_scale(const ParameterFigure& figure, bool log) {
  Range range = regret_range(figure);
  if (range.low > 0.0 && (log || range.high > kWideLines * range.low)) {
    return Scale::logarithmic(range).widened(0.03, 0.03);
  }
  range.add(0.0);
  return Scale::linear(range).widened(0.0, 0.03);
}

// The settings are few and hand-picked, so they are drawn at equal distances.
double place_of(std::size_t i) { return static_cast<double>(i); }

void draw_paper(Plot& plot, const Line& line, const Look& look, double shift) {
  for (std::size_t i = 0; i < line.paper.size(); ++i) {
    const Point place{plot.x(place_of(i)) + shift, plot.y(line.paper[i].mean)};
    plot.canvas.marker(place, look.shape, 3.6, plot.sheet.theme.paper,
                       {look.colour.faded(0.75), 1.2});
  }
}

void draw_line(Plot& plot, const Line& line, const Look& look, double shift) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < line.regret.size(); ++i) {
    const Estimate& regret = line.regret[i];
    const double x = plot.x(place_of(i)) + shift;
    points.push_back({x, plot.y(regret.value)});
    plot.canvas.line(
        std::vector<Point>{{x, plot.y.clamped(regret.low)}, {x, plot.y.clamped(regret.high)}},
        {look.colour, 1.5});
  }
  plot.canvas.line(points, {look.colour.faded(0.85), 1.6, look.dash});
  for (const Point& point : points) {
    plot.canvas.marker(point, look.shape, 4.2, look.colour, {plot.sheet.theme.paper, 0.8});
  }
}

std::vector<LineLabel> labels_of(const ParameterFigure& figure) {
  std::vector<LineLabel> labels;
  for (const Line& line : figure.lines) {
    const auto last = std::find_if(line.regret.rbegin(), line.regret.rend(),
                                   [](const Estimate& one) { return std::isfinite(one.value); });
    if (last != line.regret.rend())
      labels.push_back({.algorithm = line.algorithm, .place = last->value});
  }
  return labels;
}

}  // namespace

std::string draw_parameter(const Sheet& sheet, const ParameterFigure& figure) {
  auto labels = labels_of(figure);
  Canvas canvas = sheet.canvas(figure.title, labels_height(sheet, labels.size()));
  std::vector<double> places;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    places.push_back(place_of(i));
    names.push_back(format_number(figure.values[i]));
  }
  const bool paper = std::ranges::any_of(figure.lines, [](const Line& line) {
    return std::ranges::any_of(line.paper,
                               [](const PaperValue& one) { return std::isfinite(one.mean); });
  });
  const double last = std::max(0.0, static_cast<double>(figure.values.size()) - 1.0);
  Plot plot(
      sheet, canvas, figure.title,
      std::string("mean with Student's 95 % interval") + (paper ? "; hollow: the paper's" : ""),
      {.scale = Scale::linear({.low = -0.4, .high = last + 0.4}),
       .title = figure.parameter,
       .unit = Unit::kNumber,
       .values = places,
       .labels = names},
      {.scale = regret_scale(figure, sheet.options.log_axes), .title = figure.axis},
      labels_width(sheet, canvas, labels));
  // Shift the algorithms sideways, or their intervals would hide each other.
  const double room = std::min(40.0, 0.4 * plot.area.width() / (last + 1.0));
  const auto count = static_cast<double>(figure.lines.size());
  canvas.clip({plot.area.left, plot.area.top - 5.0, plot.area.right + 5.0, plot.area.bottom + 1.0});
  for (std::size_t i = figure.lines.size(); i-- > 0;) {
    const Look& look = sheet.look(figure.lines[i].algorithm);
    const double shift = count > 1.0 ? room * (static_cast<double>(i) / (count - 1.0) - 0.5) : 0.0;
    draw_paper(plot, figure.lines[i], look, shift);
    draw_line(plot, figure.lines[i], look, shift);
  }
  canvas.unclip();
  for (LineLabel& label : labels) label.place = plot.y.clamped(label.place);
  draw_labels(plot, labels, LabelKind::kLine);
  return canvas.finish();
}

}  // namespace sau::detail
