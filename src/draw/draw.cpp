#include "sau/draw/draw.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "draw/figures.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

constexpr double kPoints = 72.0;  // per inch

void check_size(const char* what, double size, double least, double most) {
  if (size >= least && size <= most) return;
  throw UsageError(std::string("the ") + what + " of a picture is " + format_number(size) +
                   "; expected " + format_number(least) + " to " + format_number(most));
}

using Figures = std::vector<const ProblemFigure*>;

std::vector<Figures> divided(const Figures& all, std::size_t pages) {
  std::vector<Figures> parts;
  for (std::size_t page = 0; page < pages; ++page) {
    const auto first = static_cast<std::ptrdiff_t>(all.size() * page / pages);
    const auto last = static_cast<std::ptrdiff_t>(all.size() * (page + 1) / pages);
    parts.emplace_back(all.begin() + first, all.begin() + last);
  }
  return parts;
}

// At most 12 panels per picture. What is printed also fits on a page.
std::vector<Figures> pages_of(const detail::Sheet& sheet, const Figures& all) {
  constexpr std::size_t kMostPanels = 12;
  constexpr double kPage = 9.0 * kPoints;
  std::size_t pages = (all.size() + kMostPanels - 1) / kMostPanels;
  const auto too_high = [&](const Figures& figures) {
    return detail::panels_height(sheet, figures) * sheet.options.scale > kPage;
  };
  while (sheet.options.printed && pages < all.size() &&
         std::ranges::any_of(divided(all, pages), too_high)) {
    ++pages;
  }
  return divided(all, pages);
}

void add_panels(const Report& report, const detail::Sheet& sheet, const auto& add) {
  Figures all;
  for (const ReportSection& section : report.sections) {
    for (const ProblemFigure& figure : section.problems) all.push_back(&figure);
  }
  if (all.size() < 2) return;
  const std::vector<Figures> pages = pages_of(sheet, all);
  for (std::size_t page = 0; page < pages.size(); ++page) {
    add(pages.size() == 1 ? "panels" : "panels-" + std::to_string(page + 1),
        detail::draw_panels(sheet, pages[page]));
  }
}

}  // namespace

DrawOptions column_figure(double inches, double font) {
  constexpr double kDotsPerInch = 300.0;
  check_size("font size", font, 4.0, 24.0);
  check_size("width, in inches,", inches, 1.0, 40.0);
  DrawOptions options{.printed = true};
  options.scale = font / detail::kTextSize;
  options.width = inches * kPoints / options.scale;
  options.height = 0.72 * options.width;
  options.pixels = options.scale * kDotsPerInch / kPoints;
  check_size("width, in letters,", options.width / detail::kTextSize, 240.0 / detail::kTextSize,
             10'000.0 / detail::kTextSize);
  return options;
}

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
  add_panels(report, sheet, add);
  return pictures;
}

}  // namespace sau
