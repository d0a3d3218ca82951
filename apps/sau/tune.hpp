#pragma once

#include <filesystem>
#include <vector>

#include "laboratory.hpp"
#include "sau/run/experiment.hpp"

namespace sau::cli {

// Runs the alternatives on trials of another seed, in the folder `folder`-tuning, and replaces
// `cells` by those to report (run/tune.hpp). `told` gets what was chosen. Returns the exit code of
// a run that was stopped, or 0.
int tune_agents(const ExperimentText& experiment, const std::filesystem::path& folder,
                const LaboratoryFlags& flags, std::vector<Cell>& cells, Addition& told);

}  // namespace sau::cli
