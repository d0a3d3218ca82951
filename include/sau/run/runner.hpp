#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"

namespace sau {

// How far a run is; handed to RunOptions::progress about five times a second.
struct Progress {
  std::uint64_t trials_done = 0;   // in this run
  std::uint64_t trials_total = 0;  // that were missing when it began
  double steps_done = 0.0;
  double steps_total = 0.0;
  double seconds = 0.0;  // since it began
};

struct RunOptions {
  unsigned threads = 0;                     // 0: one per core
  const std::atomic<bool>* stop = nullptr;  // set from outside to end early
  std::function<void(const Progress&)> progress = {};
};

struct RunOutcome {
  bool complete = false;              // every trial asked for is in the folder
  unsigned threads = 0;               // that were used
  std::uint64_t new_trials = 0;       // written by this run
  std::vector<std::string> failures;  // one line a failed cell; the other cells went on
};

// One trial: a pure function of the cell, the seed and the trial's number. Empty-handed (false)
// when `stop` ended it early.
bool run_trial(const Cell& cell, std::uint64_t seed, std::uint64_t trial,
               std::span<const std::uint64_t> points, const std::atomic<bool>* stop,
               TrialRecord& record);

// Runs the trials that are missing in `folder`, which was opened for this experiment, on all
// cores. Work is dealt out trial by trial over all cells, so that a run that is stopped early has
// something of each. Throws Error when the folder cannot be written; what it holds stays valid.
RunOutcome run(const Experiment& experiment, ResultFolder& folder, const RunOptions& options);

}  // namespace sau
