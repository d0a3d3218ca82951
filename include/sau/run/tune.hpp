#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"

namespace sau {

// Tuning: an agent whose settings have alternatives, sau_ucb(alpha=0.1|1|10), stands for the best
// of them, problem by problem. The alternatives play trials of another seed; the one with the
// lowest mean regret then plays the trials that are reported, which had no part in the choice.

// The seed of the trials that choose.
std::uint64_t tuning_seed(std::uint64_t seed);

// The cells to run with that seed: all alternatives on all problems. Throws UsageError if no agent
// has alternatives.
std::vector<Cell> tuning_cells(const ExperimentText& experiment);

struct TuneChoice {
  std::string problem = {}, agent = {};  // names for people
  std::string chosen = {};               // canonical
  std::size_t alternatives = 0;          // among how many
  double regret = 0.0;                   // its mean in the trials that chose
};

struct Tuned {
  std::vector<Cell> cells;  // to be reported: one for every problem and agent
  std::vector<TuneChoice> choices;
};

// `results` are those of tuning_cells(). Throws Error if all trials of all alternatives failed.
Tuned choose_tuned(const ExperimentText& experiment, const RunResults& results);

}  // namespace sau
