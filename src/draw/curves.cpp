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

// "mean of 500 trials with Student's 95 % interval".
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
      "mean of {} trials{}{}", counts, band ? " with Student's 95 % interval" : "",
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

// Axes, bands and lines on the canvas, with `right` units of room on the right.
Plot draw_area(const Sheet& sheet, Canvas& canvas, const ProblemFigure& figure,
               const std::string& subtitle, double right) {
  const bool log = sheet.options.log_axes;
  const Range steps = steps_range(figure, log), regrets = regret_range(figure, log);
  Plot plot(sheet, canvas, figure.title, subtitle,
            {.scale = log ? Scale::logarithmic(steps) : Scale::linear(steps), .title = "step"},
            {.scale = log ? Scale::logarithmic(regrets) : Scale::linear(regrets).widened(0.0, 0.02),
             .title = "regret"},
            right);
  canvas.clip({plot.area.left, plot.area.top, plot.area.right + 5.0, plot.area.bottom + 1.0});
  for (const Series& series : figure.series) draw_band(plot, figure, series);
  // Draw the first algorithms last, on top of the others.
  for (std::size_t i = figure.series.size(); i-- > 0;) {
    draw_line(plot, figure, figure.series[i],
              static_cast<double>(i) / static_cast<double>(figure.series.size()));
  }
  canvas.unclip();
  return plot;
}

// Names with a piece of their lines, in rows that fill the width from `top` on. Returns how many
// rows there are; `draw` says whether to draw them or only to count.
std::size_t legend_rows(const Sheet& sheet, Canvas& canvas, const std::vector<std::string>& names,
                        double top, bool draw) {
  constexpr double kSwatch = 24.0, kGap = 6.0, kApart = 18.0;
  const TextStyle style = plain_text(sheet);
  const double room = canvas.width() - 2.0 * kEdge;
  double x = kEdge;
  std::size_t row = 0;
  for (const std::string& name : names) {
    const std::string shown = canvas.fitted(name, style, room - kSwatch - kGap);
    const double width = kSwatch + kGap + canvas.text_width(shown, style);
    if (x > kEdge && x + width > kEdge + room) {
      x = kEdge;
      ++row;
    }
    if (draw) {
      const double y = top + kLabelHeight * (static_cast<double>(row) + 0.5);
      const Look& look = sheet.look(name);
      canvas.line(std::vector<Point>{{x, y}, {x + kSwatch, y}}, {look.colour, 2.0, look.dash});
      canvas.marker({x + 0.5 * kSwatch, y}, look.shape, 4.0, look.colour, {sheet.theme.paper, 1.0});
      canvas.text({x + kSwatch + kGap, y}, shown, style);
    }
    x += width + kApart;
  }
  return row + 1;
}

// Where the panels and the legend below them have their places.
struct PanelLayout {
  std::vector<std::string> names;
  bool band = false;
  std::size_t columns = 1, rows = 1, legend = 0;  // legend: its rows
  double width = 0.0, height = 0.0;               // of a panel
  double whole = 0.0;                             // height of the picture
};

PanelLayout lay_out_panels(const Sheet& sheet, std::span<const ProblemFigure* const> figures) {
  constexpr double kLeastWidth = 260.0, kMostWidth = 420.0, kShape = 0.78;
  PanelLayout layout;
  for (const ProblemFigure* figure : figures) {
    for (const Series& series : figure->series) {
      if (std::ranges::find(layout.names, series.algorithm) == layout.names.end())
        layout.names.push_back(series.algorithm);
      layout.band = layout.band || !series.low.empty();
    }
  }
  const double whole = sheet.options.width;
  const auto most = static_cast<std::size_t>(std::max(1.0, std::floor(whole / kLeastWidth)));
  const auto least = static_cast<std::size_t>(std::ceil(whole / kMostWidth));
  layout.columns = std::min({figures.size(), most, std::max<std::size_t>(least, 2)});
  layout.rows = (figures.size() + layout.columns - 1) / layout.columns;
  layout.width = whole / static_cast<double>(layout.columns);
  layout.height = kShape * layout.width;
  Canvas measure = sheet.canvas("", layout.height);
  layout.legend = legend_rows(sheet, measure, layout.names, 0.0, false);
  layout.whole = layout.height * static_cast<double>(layout.rows) + 2.0 * kEdge +
                 kLabelHeight * static_cast<double>(layout.legend + (layout.band ? 1 : 0));
  return layout;
}

}  // namespace

double panels_height(const Sheet& sheet, std::span<const ProblemFigure* const> figures) {
  return lay_out_panels(sheet, figures).whole;
}

std::string draw_panels(const Sheet& sheet, std::span<const ProblemFigure* const> figures) {
  const PanelLayout layout = lay_out_panels(sheet, figures);
  Sheet part = sheet;
  part.options.width = layout.width;
  Canvas canvas = sheet.canvas(std::to_string(figures.size()) + " problems", layout.whole);
  canvas.fill(sheet.theme.paper);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::size_t row = i / layout.columns, column = i % layout.columns;
    const double left = layout.width * static_cast<double>(column);
    const double top = layout.height * static_cast<double>(row);
    canvas.open_window({left, top, left + layout.width, top + layout.height});
    draw_area(part, canvas, *figures[i], "", kEdge);
    canvas.close_window();
  }
  const double top = layout.height * static_cast<double>(layout.rows) + kEdge;
  legend_rows(sheet, canvas, layout.names, top, true);
  if (layout.band) {
    const TextStyle quiet = small_text(sheet);
    canvas.text({kEdge, top + kLabelHeight * (static_cast<double>(layout.legend) + 0.5)},
                canvas.fitted("lines: mean over the trials; bands: Student's 95 % interval of it",
                              quiet, sheet.options.width - 2.0 * kEdge),
                quiet);
  }
  return canvas.finish();
}

std::string draw_curves(const Sheet& sheet, const ProblemFigure& figure) {
  auto labels = labels_of(figure, regret_range(figure, sheet.options.log_axes).high);
  Canvas canvas = sheet.canvas(figure.title, labels_height(sheet, labels.size()));
  Plot plot =
      draw_area(sheet, canvas, figure, trials_text(figure), labels_width(sheet, canvas, labels));
  for (LineLabel& label : labels) label.place = plot.y.clamped(label.place);
  draw_labels(plot, labels, LabelKind::kLine);
  return canvas.finish();
}

}  // namespace sau::detail
