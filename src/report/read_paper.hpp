#pragma once

#include <string_view>

#include "sau/report/paper.hpp"

namespace sau::detail {

// Reads experiments/papers/<name>.json and <name>.csv (experiments/papers/README.md). Throws Error,
// naming the file, for anything that does not fit.
Paper read_paper(std::string_view name, std::string_view json, std::string_view csv);

}  // namespace sau::detail
