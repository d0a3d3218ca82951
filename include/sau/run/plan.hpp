#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sau/run/experiment.hpp"

namespace sau {

// What a run would do with a cell.
struct CellPlan {
  Cell cell;
  std::uint64_t present = 0;  // trials that are in the folder already
  double seconds = 0.0;       // processor time a trial should take
  bool timed = false;         // `seconds` is the mean of trials in the folder, not a trial run

  std::uint64_t missing() const noexcept {
    return cell.trials > present ? cell.trials - present : 0;
  }
};

struct Plan {
  unsigned threads = 1;
  std::vector<CellPlan> cells;

  // Of the trials that are missing: all of them, and the longest single one.
  double processor_seconds() const noexcept;
  // On `threads` threads, of which no more than the cores count.
  double wall_seconds() const noexcept;
};

// What run() would do for these cells in this folder, and how long it should take. Reads the
// folder and writes nothing; it need not exist. The time of a cell's trials is their mean in the
// folder; where there is none, the cell is played here for about `budget` seconds, on all threads,
// and the cost of the last steps is carried on to the horizon. Throws Error as opening the folder
// for the run would: it is damaged, or of another seed or version.
Plan make_plan(const Experiment& experiment, const std::filesystem::path& folder, unsigned threads,
               double budget = 0.05);

// Seconds of processor time that one trial of the cell should take, by playing the beginning of
// one, at least `budget` seconds if the trial is that long. Its steps are counted in whole training
// periods of the neural agents, 40 steps, and those before the first training do not count.
double measure_trial(const Cell& cell, std::uint64_t seed, double budget);

}  // namespace sau
