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
  bool log_axes = false;
  double width = 640, height = 400;
};

// One picture a figure of the report.
std::vector<Picture> draw_report(const Report& report, PictureFormat format,
                                 const DrawOptions& options);

}  // namespace sau
