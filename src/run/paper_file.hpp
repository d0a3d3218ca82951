#pragma once

#include <cstdint>
#include <string_view>

#include "sau/run/experiment.hpp"

namespace sau::detail {

// A file of experiments/ (docs/adding.md). A part has one group of cells, or several:
//     {"title", "trials", "groups": [{"problems": [...], "agents": [...], "steps"}, ...]}
// A single group may put its fields beside the title. In a group every agent plays every problem. A
// list in place of a problem means: the first one whose data are present. A problem whose data are
// missing goes to PaperPart::left_out. An agent is a spec, an alias, or
// {"name": what is displayed, "spec": what it is} if it has special settings on these problems.
// Without "steps" a trial has the problem's own horizon. A part with "checks" has no cells. Throws
// Error, naming the file, for anything else.
PaperPart read_paper_part(std::string_view name, std::string_view text, std::uint64_t trials);

// These two make no problem and no agent. A part with "only_by_name": true is not among those that
// run when nobody names any.
std::string read_paper_title(std::string_view name, std::string_view text);
bool only_by_name(std::string_view name, std::string_view text);

}  // namespace sau::detail
