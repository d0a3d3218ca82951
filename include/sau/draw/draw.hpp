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
};

// One picture per figure of the report, each on one page. The same report gives the same bytes.
std::vector<Picture> draw_report(const Report& report, PictureFormat format,
                                 const DrawOptions& options);

}  // namespace sau
