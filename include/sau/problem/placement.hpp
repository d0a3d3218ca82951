#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"

namespace sau {

// Which action is the best is a setting of the problems whose best action does not follow from
// other draws: `random`, so that each trial draws it, or the action's number. If it were always the
// first, an agent that never explores would find it by luck, because ties go to the first action.
inline constexpr std::string_view kRandomPlace = "random";

// Throws UsageError unless `best` is random or the number of one of the actions.
void check_place(std::string_view owner, std::string_view best, std::uint64_t actions);

// The best action of the trial that `stream` names; `best` has passed check_place().
Action best_action(std::string_view best, std::uint64_t actions, const Stream& stream);

}  // namespace sau
