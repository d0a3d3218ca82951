#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sau/run/experiment.hpp"

namespace sau {

// What a run would do for a cell.
struct CellPlan {
  Cell cell;                  // of a shard: with as many trials as it has of the cell
  std::uint64_t present = 0;  // trials that the folder already has
  double seconds = 0.0;       // expected processor time of one trial
  bool timed = false;  // `seconds` is the mean of trials in the folder, not of a short test run

  std::uint64_t missing() const noexcept {
    return cell.trials > present ? cell.trials - present : 0;
  }
};

struct Plan {
  unsigned threads = 1;
  unsigned at_once = 1;  // trials that are played at the same time: threads or cores
  std::vector<CellPlan> cells;

  // Processor time of all missing trials.
  double processor_seconds() const noexcept;
  // The same with `at_once` trials at a time; at least the longest trial.
  double wall_seconds() const noexcept;
};

// What run() would do for these cells in this folder, and how long it should take. Reads the
// folder, which need not exist, and writes nothing. A cell's time per trial is the mean of its
// trials in the folder. If there are none, the cell is played here for about `budget` seconds, on
// all threads, and the cost of the last steps is extrapolated to the horizon. Throws Error as
// opening the folder for the run would: it is damaged, or has another seed or version.
Plan make_plan(const Experiment& experiment, const std::filesystem::path& folder, unsigned threads,
               double budget = 0.05);

// Estimates the processor time of one trial, in seconds, by playing the beginning of one for at
// least `budget` seconds, if the trial is that long. Plays whole training periods of the neural
// agents (40 steps). The steps before the first training, which waits for late rewards, do not
// count towards the budget or the cost per step; if they take more than a second, it stops there.
double measure_trial(const Cell& cell, std::uint64_t seed, double budget);

}  // namespace sau
