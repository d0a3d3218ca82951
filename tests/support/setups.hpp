#pragma once

#include <cstddef>

#include "sau/core/setup.hpp"

namespace sau::testing {

inline Setup setup_of(Action actions, std::size_t dim) {
  return {.shape = {.actions = actions, .dim = dim}, .stream = {}};
}

// Without contexts.
inline Setup actions(Action count) { return setup_of(count, 0); }

}  // namespace sau::testing
