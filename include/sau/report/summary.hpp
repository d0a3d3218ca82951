#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sau/core/stats.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"

namespace sau {

// What is said of a cell.
struct CellSummary {
  Cell cell;
  std::uint64_t trials = 0;  // summarised, may be fewer than asked for
  std::uint64_t failed = 0;  // trials that failed and are in none of the numbers
  Summary regret, reward;
  double stuck = 0.0;        // share of trials stuck on a wrong action
  double seconds = 0.0;      // mean processor time of a trial
  double seconds_sem = 0.0;  // its standard error
};

// The first `cell.trials` trials of each of `cells`, as far as `results` has them.
std::vector<CellSummary> summarise(const RunResults& results, std::span<const Cell> cells);

// {"cells":[{"problem","agent",...}]}: one object a cell.
std::string summary_json(std::span<const CellSummary> summaries);

// A block a problem, a line an agent: mean and standard error, median, 10-90 % range, stuck, time.
std::string summary_table(std::span<const CellSummary> summaries);

}  // namespace sau
