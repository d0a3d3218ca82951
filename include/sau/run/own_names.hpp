#pragma once

#include <span>
#include <string_view>

#include "sau/run/experiment.hpp"

namespace sau {

// Throws UsageError for a name of an agent or a problem that is empty, longer than 80 characters,
// or not plain text.
void check_own_name(std::string_view name);

// Throws UsageError if two different problems, or two different agents of a problem, have the same
// name, because that would mix them up in every figure.
void refuse_duplicate_names(std::span<const Cell> cells);

}  // namespace sau
