#pragma once

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"

namespace sau {

// What a model and a strategy are built for: the problem's shape, and the stream from which they
// derive their own random streams.
struct Setup {
  Shape shape;
  Stream stream;
};

}  // namespace sau
