#pragma once

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"

namespace sau {

// What a model and a strategy are built for: the problem's shape, and the name under which they
// may open random streams of their own.
struct Setup {
  Shape shape;
  Stream stream;
};

}  // namespace sau
