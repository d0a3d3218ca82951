#pragma once

#include <string>
#include <vector>

namespace sau {

// How an algorithm looks in every figure of a report: colour, and for black-and-white print also
// dash and marker.
struct AlgorithmStyle {
  std::string name;
  std::string colour, dark_colour;  // "#rrggbb", on white and on dark paper
  std::vector<int> dash;            // lengths of strokes and gaps; empty: solid
  std::string shape;                // circle, square, triangle-up, diamond, cross, ...
};

}  // namespace sau
