#include "draw/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sau/core/time_text.hpp"

namespace sau::detail {
namespace {

constexpr double kTitleSize = 15.0, kSmallSize = 12.0;
constexpr double kTitleLine = 22.0, kSubtitleLine = 19.0;
constexpr double kTickLength = 4.0, kTickGap = 5.0;
constexpr double kBelow = 52.0;  // room for tick labels and the axis title
constexpr double kLeastRow = 30.0, kMostRow = 52.0;

TextStyle tick_style(const Sheet& sheet, Align align) {
  return {.colour = sheet.theme.muted, .size = kTextSize, .align = align};
}

// Returns where the figure may begin.
double draw_headings(const Sheet& sheet, Canvas& canvas, const std::string& title,
                     const std::string& subtitle) {
  const TextStyle bold{.colour = sheet.theme.ink, .size = kTitleSize, .bold = true};
  const double room = canvas.width() - 2.0 * kEdge;
  canvas.text({kEdge, kEdge + 0.5 * kTitleSize}, canvas.fitted(title, bold, room), bold);
  if (subtitle.empty()) return kEdge + kTitleLine;
  const TextStyle quiet = small_text(sheet);
  canvas.text({kEdge, kEdge + kTitleLine + 0.5 * kSmallSize - 1.0},
              canvas.fitted(subtitle, quiet, room), quiet);
  return kEdge + kTitleLine + kSubtitleLine;
}

void fill_in_ticks(Axis& axis, int wanted) {
  if (axis.values.empty()) axis.values = tick_values(axis.scale, wanted);
  if (axis.labels.empty()) axis.labels = tick_labels(axis.values, axis.unit);
}

double widest_label(const Sheet& sheet, Canvas& canvas, const std::vector<std::string>& labels,
                    const TextStyle& style) {
  double widest = 0.0;
  for (const std::string& label : labels) {
    widest = std::max(widest, canvas.text_width(label, style));
  }
  return std::min(widest, kWidestName * sheet.options.width);
}

void vertical_line(Canvas& canvas, double x, const Box& area, const Pen& pen) {
  canvas.line(std::vector<Point>{{x, area.top}, {x, area.bottom}}, pen);
}
void horizontal_line(Canvas& canvas, double y, const Box& area, const Pen& pen) {
  canvas.line(std::vector<Point>{{area.left, y}, {area.right, y}}, pen);
}

bool inside(double place, double a, double b) {
  return place >= std::min(a, b) - 0.5 && place <= std::max(a, b) + 0.5;
}

// The middle of an axis, moved if needed to keep the axis title on the paper.
double centred(Canvas& canvas, const std::string& title, const TextStyle& style, double first,
               double last, double end) {
  const double half = 0.5 * canvas.text_width(title, style);
  return std::max(kEdge + half, std::min(0.5 * (first + last), end - kEdge - half));
}

void draw_bottom_axis(const Sheet& sheet, Canvas& canvas, const Box& area, const Axis& axis) {
  const Theme& theme = sheet.theme;
  for (const double value : minor_tick_values(axis.scale)) {
    vertical_line(canvas, axis.scale(value), area, {theme.faint_grid, 0.6});
  }
  const TextStyle style = tick_style(sheet, Align::kCentre);
  double free_from = 0.0;  // a label that would touch the one before is left out
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const double place = axis.scale(axis.values[i]);
    if (!inside(place, area.left, area.right)) continue;
    vertical_line(canvas, place, area, {theme.grid, 0.9});
    canvas.line(std::vector<Point>{{place, area.bottom}, {place, area.bottom + kTickLength}},
                {theme.muted, 0.9});
    const double half = 0.5 * canvas.text_width(axis.labels[i], style);
    if (place - half < free_from) continue;
    canvas.text({place, area.bottom + kTickLength + kTickGap + 0.5 * kTextSize}, axis.labels[i],
                style);
    free_from = place + half + kTickGap;
  }
  horizontal_line(canvas, area.bottom, area, {theme.muted, 0.9});
  const TextStyle plain = plain_text(sheet, Align::kCentre);
  const std::string title = canvas.fitted(axis.title, plain, canvas.width() - 2.0 * kEdge);
  canvas.text({centred(canvas, title, plain, area.left, area.right, canvas.width()),
               canvas.height() - kEdge - 0.3 * kTextSize},
              title, plain);
}

void draw_left_axis(const Sheet& sheet, Canvas& canvas, const Box& area, const Axis& axis) {
  const Theme& theme = sheet.theme;
  for (const double value : minor_tick_values(axis.scale)) {
    horizontal_line(canvas, axis.scale(value), area, {theme.faint_grid, 0.6});
  }
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const double place = axis.scale(axis.values[i]);
    if (!inside(place, area.top, area.bottom)) continue;
    horizontal_line(canvas, place, area, {theme.grid, 0.9});
    canvas.text({area.left - kTickGap - 2.0, place}, axis.labels[i],
                tick_style(sheet, Align::kRight));
  }
  TextStyle upwards = plain_text(sheet, Align::kCentre);
  upwards.upwards = true;
  const std::string title =
      canvas.fitted(axis.title, upwards, canvas.height() - area.top - 2.0 * kEdge);
  canvas.text({kEdge + 0.5 * kTextSize,
               centred(canvas, title, upwards, area.top, area.bottom, canvas.height())},
              title, upwards);
}

}  // namespace

Axis time_axis(Range times) {
  constexpr double kSecond = 1000.0, kMinute = 60.0 * kSecond, kHour = 60.0 * kMinute,
                   kDay = 24.0 * kHour;
  // Each is at most three times the one before, so that there is always a tick.
  constexpr std::array kSteps = {
      kSecond,       2.0 * kSecond, 5.0 * kSecond,  15.0 * kSecond, 30.0 * kSecond, kMinute,
      2.0 * kMinute, 5.0 * kMinute, 15.0 * kMinute, 30.0 * kMinute, kHour,          3.0 * kHour,
      6.0 * kHour,   12.0 * kHour,  kDay,           2.0 * kDay,     4.0 * kDay,     7.0 * kDay,
      14.0 * kDay,   28.0 * kDay,   56.0 * kDay,    91.0 * kDay,    182.0 * kDay,   364.0 * kDay};
  constexpr double kMostTicks = 5.0;
  const double length = times.high - times.low;
  const auto found =
      std::ranges::find_if(kSteps, [=](double step) { return length <= kMostTicks * step; });
  const double step = found == kSteps.end() ? std::ceil(length / kMostTicks / kDay) * kDay : *found;
  Axis axis{.scale = Scale::linear(times), .title = "time (UTC)"};
  const auto add = [&](double at) {
    const std::string text = write_time_in_seconds(static_cast<Milliseconds>(at));
    // Days alone, hours and minutes alone, or seconds too.
    axis.values.push_back(at);
    axis.labels.push_back(step >= kDay      ? text.substr(0, 10)
                          : step >= kMinute ? text.substr(5, 5) + " " + text.substr(11, 5)
                                            : text.substr(11, 8));
  };
  for (double at = std::ceil(times.low / step) * step; at <= times.high; at += step) add(at);
  if (axis.values.empty()) add(times.low);  // all within a second
  return axis;
}

const Theme& theme_of(bool dark) {
  static const Theme kLight{.paper = colour_of("#ffffff"),
                            .ink = colour_of("#1d2126"),
                            .muted = colour_of("#5a626b"),
                            .grid = colour_of("#e1e4e8"),
                            .faint_grid = colour_of("#f0f2f4")};
  static const Theme kNight{.paper = colour_of("#1a1e22"),
                            .ink = colour_of("#e8eaec"),
                            .muted = colour_of("#a7b0b8"),
                            .grid = colour_of("#343b42"),
                            .faint_grid = colour_of("#262b30")};
  return dark ? kNight : kLight;
}

const char* extension_of(PictureFormat format) {
  switch (format) {
    case PictureFormat::kSvg:
      return ".svg";
    case PictureFormat::kPng:
      return ".png";
    case PictureFormat::kPdf:
      break;
  }
  return ".pdf";
}

Sheet::Sheet(const Report& report, PictureFormat picture_format, const DrawOptions& draw_options)
    : format(picture_format), options(draw_options), theme(theme_of(draw_options.dark)) {
  for (const AlgorithmStyle& style : report.algorithms) {
    looks[style.name] = {.colour = colour_of(options.dark ? style.dark_colour : style.colour),
                         .dash = {style.dash.begin(), style.dash.end()},
                         .shape = style.shape};
  }
}

Sheet::Sheet(const std::vector<std::string>& names, PictureFormat picture_format,
             const DrawOptions& draw_options)
    : format(picture_format), options(draw_options), theme(theme_of(draw_options.dark)) {
  // The colours of Okabe & Ito (2008), which colour-blind people can tell apart.
  constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#7a7a7a"};
  constexpr std::array kShapes = {"circle", "square", "triangle-up", "diamond"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    Look look{.colour = colour_of(kColours[i % kColours.size()]),
              .dash = {},
              .shape = kShapes[i % kShapes.size()]};
    if (i >= kColours.size()) look.dash = {6.0, 3.0};
    looks[names[i]] = std::move(look);
  }
}

const Look& Sheet::look(const std::string& algorithm) const {
  static const Look kUnknown{.colour = colour_of("#808080"), .dash = {}, .shape = "circle"};
  const auto found = looks.find(algorithm);
  return found == looks.end() ? kUnknown : found->second;
}

TextStyle plain_text(const Sheet& sheet, Align align) {
  return {.colour = sheet.theme.ink, .size = kTextSize, .align = align};
}

TextStyle small_text(const Sheet& sheet, Align align) {
  return {.colour = sheet.theme.muted, .size = kSmallSize, .align = align};
}

Plot::Plot(const Sheet& of, Canvas& on, const std::string& title, const std::string& subtitle,
           Axis x_axis, Axis y_axis, double right)
    : sheet(of), canvas(on), x(x_axis.scale), y(y_axis.scale) {
  canvas.fill(sheet.theme.paper);
  area.top = draw_headings(sheet, canvas, title, subtitle) + 6.0;
  area.bottom = canvas.height() - kBelow;
  area.right = canvas.width() - kEdge - right;
  fill_in_ticks(y_axis, static_cast<int>(area.height() / 60.0));
  const double labels =
      widest_label(sheet, canvas, y_axis.labels, tick_style(sheet, Align::kRight));
  area.left = kEdge + kTextSize + 8.0 + labels + kTickGap + 2.0;
  x_axis.scale = x = x.onto(area.left, area.right);
  y_axis.scale = y = y.onto(area.bottom, area.top);
  fill_in_ticks(x_axis, static_cast<int>(area.width() / 90.0));
  draw_left_axis(sheet, canvas, area, y_axis);
  draw_bottom_axis(sheet, canvas, area, x_axis);
}

RowPlot::RowPlot(const Sheet& of, Canvas& on, const std::string& title, const std::string& subtitle,
                 const std::vector<std::string>& names, Axis x_axis, double right)
    : sheet(of), canvas(on), x(x_axis.scale) {
  canvas.fill(sheet.theme.paper);
  const TextStyle style = plain_text(sheet, Align::kRight);
  area.top = draw_headings(sheet, canvas, title, subtitle) + 6.0;
  area.bottom = canvas.height() - kBelow;
  area.left = kEdge + widest_label(sheet, canvas, names, style) + 2.0 * kTickGap;
  area.right = canvas.width() - kEdge - right;
  x_axis.scale = x = x.onto(area.left, area.right);
  fill_in_ticks(x_axis, static_cast<int>(area.width() / 90.0));
  draw_bottom_axis(sheet, canvas, area, x_axis);
  row_height = area.height() / std::max(1.0, static_cast<double>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    canvas.text({area.left - 2.0 * kTickGap, row(i)},
                canvas.fitted(names[i], style, area.left - kEdge - 2.0 * kTickGap), style);
  }
}

double rows_height(const Sheet& sheet, std::size_t rows) {
  const double around = kEdge + kTitleLine + kSubtitleLine + 6.0 + kBelow;
  const auto count = std::max(1.0, static_cast<double>(rows));
  const double row = (sheet.options.height - around) / count;
  return around + count * std::clamp(row, kLeastRow, kMostRow);
}

double labels_height(const Sheet& sheet, std::size_t labels) {
  return std::max(sheet.options.height, kEdge + kTitleLine + kSubtitleLine + 6.0 + kBelow +
                                            kLabelHeight * static_cast<double>(labels));
}

}  // namespace sau::detail
