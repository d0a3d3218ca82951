#pragma once

#include <span>
#include <string>
#include <vector>

#include "sau/report/algorithm_style.hpp"

namespace sau::detail {

// The looks of these algorithms. A paper may give its algorithms styles; others take what is left,
// in order.
std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms);

}  // namespace sau::detail
