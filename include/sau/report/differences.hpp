#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/report/paper_tables.hpp"

namespace sau {

// Something that is known to lie between our numbers and the paper's (docs/reproduction.md has the
// experiments behind each).
struct Difference {
  std::string id, title, text;
};
std::span<const Difference> known_differences();

// The ids of what is known about a cell of that table, whose numbers are `z` combined standard
// errors apart; may be empty.
std::vector<std::string> differences_of(TableKind kind, std::string_view problem,
                                        std::string_view algorithm, double z);

}  // namespace sau
