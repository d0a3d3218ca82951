#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sau/core/types.hpp"
#include "sau/evaluate/choice_source.hpp"

namespace sau {

// Decisions in arrays, one row each, with a fixed set of actions 0, ..., K - 1, whose ids are these
// numbers as text. Columns of the contexts are features x0, x1, ..., as when an agent by ids plays
// a dense problem. The arrays must outlive the source.
struct ChoiceArrays {
  std::size_t rows = 0, dim = 0;
  Action actions = 0;                // K
  std::span<const double> contexts;  // rows * dim
  std::span<const Action> chosen;
  std::span<const double> rewards;
  std::span<const double> chance;   // of the chosen action
  std::span<const double> chances;  // rows * K, or empty
};

// Throws UsageError when the arrays do not fit together, and an Error that names the row when a
// number is not finite or an action does not exist.
std::unique_ptr<ChoiceSource> open_array_choices(const ChoiceArrays& arrays,
                                                 std::string name = "the arrays");

}  // namespace sau
