#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "draw/canvas.hpp"
#include "draw/scale.hpp"
#include "sau/draw/draw.hpp"

namespace sau::detail {

// The colours of everything that is not data.
struct Theme {
  Colour paper, ink, muted, grid, faint_grid;
};
const Theme& theme_of(bool dark);

// How an algorithm is drawn.
struct Look {
  Colour colour;
  std::vector<double> dash;
  std::string shape;
};

// With its dot: ".svg".
const char* extension_of(PictureFormat format);

// What all figures of a report share.
struct Sheet {
  Sheet(const Report& report, PictureFormat picture_format, const DrawOptions& draw_options);
  // For names that are not the algorithms of a report: each gets a colour of its own.
  Sheet(const std::vector<std::string>& names, PictureFormat picture_format,
        const DrawOptions& draw_options);

  const Look& look(const std::string& algorithm) const;
  // `height` may exceed that of the options if the figure needs it.
  Canvas canvas(const std::string& title, double height) const {
    return {format, options, height, title};
  }

  PictureFormat format;
  DrawOptions options;
  const Theme& theme;
  std::map<std::string, Look, std::less<>> looks;
};

struct Axis {
  Scale scale;
  std::string title;
  Unit unit = Unit::kNumber;
  // Custom ticks; empty: those of the scale.
  std::vector<double> values = {};
  std::vector<std::string> labels = {};
};

// An axis of times in milliseconds since 1970, with ticks at whole minutes, hours or days.
Axis time_axis(Range times);

// A figure with an axis on the left and one below. Headings are above the data area, and `right`
// units of room for labels are on its right.
class Plot {
 public:
  Plot(const Sheet& sheet, Canvas& canvas, const std::string& title, const std::string& subtitle,
       Axis x, Axis y, double right);

  const Sheet& sheet;
  Canvas& canvas;
  Box area;
  Scale x, y;
};

// A figure with one row per name, the names on the left and an axis below.
class RowPlot {
 public:
  RowPlot(const Sheet& sheet, Canvas& canvas, const std::string& title, const std::string& subtitle,
          const std::vector<std::string>& names, Axis x, double right);

  // The middle of a row.
  double row(std::size_t i) const noexcept {
    return area.top + row_height * (static_cast<double>(i) + 0.5);
  }

  const Sheet& sheet;
  Canvas& canvas;
  Box area;
  Scale x;
  double row_height = 0.0;
};

// The requested height, adjusted so that rows are neither too narrow nor too far apart.
double rows_height(const Sheet& sheet, std::size_t rows);
// The requested height, or more if the labels on the right need it.
double labels_height(const Sheet& sheet, std::size_t labels);

// plain_text: names and titles. small_text: subtitles and remarks.
TextStyle plain_text(const Sheet& sheet, Align align = Align::kLeft);
TextStyle small_text(const Sheet& sheet, Align align = Align::kLeft);

// Size of the text, in units.
inline constexpr double kTextSize = 13.0;
// Margin around everything.
inline constexpr double kEdge = 12.0;
// Height of a name on the right.
inline constexpr double kLabelHeight = 17.0;
// Share of the figure's width that the longest name may take.
inline constexpr double kWidestName = 0.34;

}  // namespace sau::detail
