#pragma once

#include <string>
#include <vector>

#include "draw/plot.hpp"

namespace sau::detail {

// The places nearest to the wanted ones that are at least `distance` apart, in the same order, and
// within the ends as far as there is room.
std::vector<double> spread_out(std::vector<double> wanted, double distance, double low,
                               double high);

// The name of an algorithm to the right of the area, with a piece of its line or its
// marker alone.
struct LineLabel {
  std::string algorithm;
  double place = 0.0;  // the end of its line, as a height on the canvas
  std::string remark = {};
  bool leader = true;  // a thin line from one to the other
};
enum class LabelKind { kLine, kMarker };
// How much room they take on the right.
double labels_width(const Sheet& sheet, Canvas& canvas, const std::vector<LineLabel>& labels);
// Draws them, moved apart where lines end close together.
void draw_labels(Plot& plot, const std::vector<LineLabel>& labels, LabelKind kind);

}  // namespace sau::detail
