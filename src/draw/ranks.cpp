#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "draw/figures.hpp"

namespace sau::detail {
namespace {

// Equal ranks are drawn side by side, so that one can count them: offsets 0, 1, -1, 2, -2, ...
double aside(std::size_t i) {
  const std::size_t steps = (i + 1) / 2;
  return static_cast<double>(steps) * (i % 2 == 1 ? 1.0 : -1.0);
}

void draw_single_ranks(RowPlot& plot, const MeanRank& one, double y, double step, double most) {
  const Colour colour = plot.sheet.look(one.algorithm).colour.faded(0.5);
  std::map<double, std::size_t> seen;
  for (const double rank : one.ranks) {
    const double shift = std::clamp(step * aside(seen[rank]++), -most, most);
    plot.canvas.marker({plot.x(rank), y + shift}, "circle", 2.2, colour, {colour, 0.0});
  }
}

}  // namespace

std::string draw_ranks(const Sheet& sheet, const RankFigure& figure) {
  const auto& all = figure.ranks.algorithms;
  std::vector<std::string> names;
  std::vector<double> ticks;
  for (const MeanRank& one : all) {
    names.push_back(one.algorithm);
    ticks.push_back(static_cast<double>(names.size()));
  }
  Canvas canvas = sheet.canvas(figure.title, rows_height(sheet, all.size()));
  const std::size_t problems = figure.ranks.problems.size();
  const std::string subtitle =
      fmt::format("mean over {} problem{} with 95 % bootstrap interval; dots: single problems",
                  problems, problems == 1 ? "" : "s");
  const double last = std::max(2.0, static_cast<double>(all.size()));
  RowPlot plot(sheet, canvas, figure.title, subtitle, names,
               {.scale = Scale::linear({.low = 1.0, .high = last}).widened(0.04, 0.04),
                .title = "rank by mean regret (1: least)",
                .unit = Unit::kNumber,
                .values = ticks},
               44.0);
  const double unit = std::min(plot.row_height, 50.0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Look& look = sheet.look(all[i].algorithm);
    const Estimate& rank = all[i].rank;
    const double y = plot.row(i) - 0.1 * unit;
    draw_single_ranks(plot, all[i], plot.row(i) + 0.26 * unit, 0.09 * unit, 0.18 * unit);
    canvas.line(std::vector<Point>{{plot.x(rank.low), y}, {plot.x(rank.high), y}},
                {look.colour, 2.4});
    canvas.marker({plot.x(rank.value), y}, look.shape, 5.0, look.colour, {sheet.theme.paper, 1.2});
    canvas.text({plot.area.right + 10.0, plot.row(i)}, fmt::format("{:.2f}", rank.value),
                small_text(sheet));
  }
  return canvas.finish();
}

}  // namespace sau::detail
