#pragma once

#include <string>
#include <vector>

#include "sau/report/report.hpp"

namespace sau {

enum class PictureFormat { kSvg, kPng, kPdf };

struct Picture {
  std::string name;  // file name with extension
  std::string bytes;
};

struct DrawOptions {
  bool dark = false;
  bool log_axes = false;             // everywhere; if false, only where the range is wide
  double width = 640, height = 400;  // figures made of rows get their height from the rows
  double pixels = 2;                 // PNG only: pixels per unit of width and height
  double scale = 1.0;                // the size of a unit: points in a PDF, pixels in an SVG
  bool printed = false;              // an SVG's unit is the point, as in a PDF
};

// For a column of a paper that is `inches` wide, with text of `font` points; headings are a little
// larger. A PNG has 300 pixels per inch, and an SVG has its size in points. Throws UsageError when
// there is no room for a figure.
DrawOptions column_figure(double inches, double font);

// One picture per figure of the report, each on one page, and if there are several problems also
// pictures with a panel for each. The same report gives the same bytes.
std::vector<Picture> draw_report(const Report& report, PictureFormat format,
                                 const DrawOptions& options);

}  // namespace sau
