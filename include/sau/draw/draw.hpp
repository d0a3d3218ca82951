#pragma once

#include <string>
#include <vector>

#include "sau/report/report.hpp"

namespace sau {

enum class PictureFormat { kSvg, kPng, kPdf };

struct Picture {
  std::string name;  // of its file, with the extension
  std::string bytes;
};

struct DrawOptions {
  bool dark = false;
  bool log_axes = false;  // of the curves and distributions; without, where the range asks for it
  double width = 640, height = 400;  // figures of rows have that of their rows
  double pixels = 2;                 // in a PNG, for one unit of width and height
};

// One picture a figure of the report, on one page. The same report gives the same bytes.
std::vector<Picture> draw_report(const Report& report, PictureFormat format,
                                 const DrawOptions& options);

}  // namespace sau
