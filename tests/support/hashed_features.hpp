#pragma once

#include <string>
#include <vector>

#include "sau/core/text.hpp"
#include "sau/model/joint_features.hpp"

namespace sau::testing {

using Features = std::vector<HashedFeature>;

inline HashedFeature feature(const std::string& name, double value = 1.0) {
  return {.hash = scope_of(name), .value = static_cast<float>(value)};
}

}  // namespace sau::testing
