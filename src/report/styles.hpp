#pragma once

#include <span>
#include <string>
#include <vector>

#include "sau/report/report.hpp"

namespace sau::detail {

// The looks of these algorithms: those of the paper have their own, others take what is left, in
// order.
std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms);

}  // namespace sau::detail
