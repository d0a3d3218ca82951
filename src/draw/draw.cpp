#include "sau/draw/draw.hpp"

#include <string>

#include "draw/figures.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

void check_size(const char* what, double size, double least, double most) {
  if (size >= least && size <= most) return;
  throw UsageError(std::string("the ") + what + " of a picture is " + format_number(size) +
                   "; expected " + format_number(least) + " to " + format_number(most));
}

}  // namespace

std::vector<Picture> draw_report(const Report& report, PictureFormat format,
                                 const DrawOptions& options) {
  check_size("width", options.width, 240.0, 10'000.0);
  check_size("height", options.height, 160.0, 10'000.0);
  check_size("number of pixels per unit", options.pixels, 0.1, 10.0);
  const detail::Sheet sheet(report, format, options);
  std::vector<Picture> pictures;
  const auto add = [&](const std::string& name, std::string bytes) {
    pictures.push_back({.name = name + detail::extension_of(format), .bytes = std::move(bytes)});
  };
  for (const ReportSection& section : report.sections) {
    for (const ProblemFigure& figure : section.problems) {
      add(figure.id + "-curves", detail::draw_curves(sheet, figure));
      add(figure.id + "-distribution", detail::draw_distribution(sheet, figure));
      if (figure.comparison.pairs.empty()) continue;
      add(figure.id + "-differences", detail::draw_differences(sheet, figure));
    }
    for (const ParameterFigure& figure : section.parameters) {
      add(figure.id, detail::draw_parameter(sheet, figure));
    }
    for (const RankFigure& figure : section.ranks)
      add(figure.id, detail::draw_ranks(sheet, figure));
    for (const TimeFigure& figure : section.times)
      add(figure.id, detail::draw_times(sheet, figure));
  }
  return pictures;
}

}  // namespace sau
