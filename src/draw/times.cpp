#include <algorithm>
#include <cmath>
#include <map>

#include "draw/figures.hpp"
#include "draw/labels.hpp"

namespace sau::detail {
namespace {

// Both axes are logarithmic, so only positive numbers can be drawn.
bool has_place(const TimeFigure::Point& point) {
  return std::isfinite(point.seconds) && std::isfinite(point.regret) && point.seconds > 0.0 &&
         point.regret > 0.0;
}

// The geometric mean over the problems of one algorithm.
struct Centre {
  std::string algorithm;
  double log_seconds = 0.0, log_regret = 0.0;  // summed
  double problems = 0.0;

  double seconds() const { return std::exp(log_seconds / problems); }
  double regret() const { return std::exp(log_regret / problems); }
};

std::vector<Centre> centres_of(const TimeFigure& figure) {
  std::vector<Centre> centres;
  for (const TimeFigure::Point& point : figure.points) {
    if (!has_place(point)) continue;
    auto found = std::ranges::find(centres, point.algorithm, &Centre::algorithm);
    if (found == centres.end()) {
      found = centres.insert(found, Centre{.algorithm = point.algorithm});
    }
    found->log_seconds += std::log(point.seconds);
    found->log_regret += std::log(point.regret);
    found->problems += 1.0;
  }
  return centres;
}

}  // namespace

std::string draw_times(const Sheet& sheet, const TimeFigure& figure) {
  const auto centres = centres_of(figure);
  Range seconds, regret;
  for (const TimeFigure::Point& point : figure.points) {
    if (!has_place(point)) continue;
    seconds.add(point.seconds);
    regret.add(point.regret);
  }
  std::vector<LineLabel> labels;
  labels.reserve(centres.size());
  for (const Centre& centre : centres) {
    labels.push_back({.algorithm = centre.algorithm, .place = centre.regret()});
  }
  Canvas canvas = sheet.canvas(figure.title, labels_height(sheet, labels.size()));
  const bool several =
      std::ranges::any_of(centres, [](const Centre& centre) { return centre.problems > 1.0; });
  Plot plot(sheet, canvas, figure.title,
            several ? "small: one problem; large: geometric mean over the problems" : "",
            {.scale = Scale::logarithmic(seconds).widened(0.04, 0.04),
             .title = "processor time of a trial",
             .unit = Unit::kSeconds},
            {.scale = Scale::logarithmic(regret).widened(0.04, 0.04), .title = figure.axis},
            labels_width(sheet, canvas, labels));
  for (const TimeFigure::Point& point : figure.points) {
    if (!has_place(point)) continue;
    const Look& look = sheet.look(point.algorithm);
    canvas.marker({plot.x(point.seconds), plot.y(point.regret)}, look.shape, 2.8,
                  look.colour.faded(0.45), {look.colour, 0.0});
  }
  for (std::size_t i = centres.size(); i-- > 0;) {
    const Look& look = sheet.look(centres[i].algorithm);
    canvas.marker({plot.x(centres[i].seconds()), plot.y(centres[i].regret())}, look.shape, 6.5,
                  look.colour, {sheet.theme.paper, 1.4});
  }
  for (LineLabel& label : labels) label.place = plot.y(label.place);
  draw_labels(plot, labels, LabelKind::kMarker);
  return canvas.finish();
}

}  // namespace sau::detail
