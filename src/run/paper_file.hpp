#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sau/run/experiment.hpp"

namespace sau::detail {

// The text of an experiment file (docs/formats/experiment.md); `file` is for messages. trials = 0
// means as many as it says. A problem whose data are missing goes to PaperPart::left_out. Throws
// Error, naming the file, for anything that does not belong there.
PaperPart read_experiment_text(const std::string& file, std::string_view text,
                               std::uint64_t trials);

// The same for a part of the paper, a file of experiments/. A part with "checks" has no cells. A
// part with "evaluation" has a study instead of cells:
//     {"problems": [{"problem", "rewards": [least, most]}, ...], "steps", "training",
//      "reward_model", "logs": [agent, ...], "policies": [{"name", "spec", "reversed"}, ...]}
// "rewards" may be left out if the problem knows its range.
PaperPart read_paper_part(std::string_view name, std::string_view text, std::uint64_t trials);

// These two make no problem and no agent. A part with "only_by_name": true runs only if it is
// named.
std::string read_paper_title(std::string_view name, std::string_view text);
bool only_by_name(std::string_view name, std::string_view text);

}  // namespace sau::detail
