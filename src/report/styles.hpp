#pragma once

#include <span>
#include <string>
#include <vector>

#include "sau/report/algorithm_style.hpp"

namespace sau::detail {

// The styles of these algorithms: those that a paper gives, and unused ones, in order, for the
// rest.
std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms);

}  // namespace sau::detail
