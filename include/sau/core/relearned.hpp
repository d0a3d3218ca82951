#pragma once

#include <cstdint>

namespace sau {

// A reward that a model has learned again after it started anew, so that its strategy can do so
// too.
struct Relearned {
  std::uint64_t action = 0;  // its number, or the hash of its id
  double value = 0.0;        // predicted before the reward was learned again
  double reward = 0.0;
};

}  // namespace sau
