#pragma once

#include <span>
#include <string>
#include <vector>

#include "sau/report/algorithm_style.hpp"

namespace sau::detail {

// The styles of these algorithms: a paper's if it gives one, else unused ones, in order.
std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms);

}  // namespace sau::detail
