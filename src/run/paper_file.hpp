#pragma once

#include <cstdint>
#include <string_view>

#include "sau/run/experiment.hpp"

namespace sau::detail {

// A file of experiments/ (docs/adding.md). A part has one group of cells, or several:
//     {"title", "trials", "groups": [{"problems": [...], "agents": [...], "steps"}, ...]}
// and with a single group its fields stand beside the title. In a group every problem is played by
// every agent. Where a list of problems stands for one, it is the first whose data are there; a
// problem whose data are not there is left out, and said to be. An agent is a spec or an alias, or
// {"name": what is displayed, "spec": what it is} where a name has settings of its own on these
// problems. Without "steps" a trial has the problem's own horizon. A part with "checks" has no
// cells. Throws Error, naming the file, for anything else.
PaperPart read_paper_part(std::string_view name, std::string_view text, std::uint64_t trials);

// The title alone: makes no problem and no agent.
std::string read_paper_title(std::string_view name, std::string_view text);

}  // namespace sau::detail
