#pragma once

#include <limits>
#include <span>

#include "sau/core/types.hpp"

namespace sau {

// The first action with the largest score: ties go to the lowest action. NaN never wins; where
// nothing exceeds -infinity the answer is 0.
inline Action argmax(std::span<const double> score) noexcept {
  Action best = 0;
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < score.size(); ++a) {
    if (score[a] > top) {
      top = score[a];
      best = static_cast<Action>(a);
    }
  }
  return best;
}

}  // namespace sau
