#pragma once

#include <string>
#include <vector>

#include "draw/plot.hpp"

namespace sau::detail {

// The places nearest to the wanted ones that are in the same order and at least `distance` apart,
// and between `low` and `high` if there is room.
std::vector<double> spread_out(std::vector<double> wanted, double distance, double low,
                               double high);

// The name of an algorithm to the right of the area, with a piece of its line, or only its marker.
struct LineLabel {
  std::string algorithm;
  double place = 0.0;  // y coordinate of the end of its line
  std::string remark = {};
  bool leader = true;  // draw a thin line from the line's end to the label
};
enum class LabelKind { kLine, kMarker };
// How much room the labels need on the right.
double labels_width(const Sheet& sheet, Canvas& canvas, const std::vector<LineLabel>& labels);
// Draws the labels, moved apart where lines end close together.
void draw_labels(Plot& plot, const std::vector<LineLabel>& labels, LabelKind kind);

}  // namespace sau::detail
