#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"
#include "sau/stats/summary.hpp"

namespace sau {

struct FailedTrial {
  std::uint64_t trial = 0;
  std::string reason;
};

// What is said of a cell. Regret, reward and stuck are those of the trials that did not fail.
struct CellSummary {
  Cell cell;
  std::uint64_t trials = 0;  // in the results, may be fewer than asked for
  std::vector<FailedTrial> failures;
  Summary regret, reward;
  double stuck = 0.0;        // share of trials stuck on a wrong action
  double seconds = 0.0;      // mean processor time of a trial
  double seconds_sem = 0.0;  // its standard error

  // How many trials the numbers are of.
  std::uint64_t counted() const noexcept { return trials - failures.size(); }
};

// The first `trials` trials, as far as they are there.
CellSummary summarise(const CellResults& results, std::uint64_t trials);

// The first `cell.trials` trials of each of `cells`, as far as `results` has them.
std::vector<CellSummary> summarise(const RunResults& results, std::span<const Cell> cells);

// {"cells":[{"problem","agent",...}]}: one object a cell.
std::string summary_json(std::span<const CellSummary> summaries);

// A block a problem, a line an agent: mean and standard error, median, 10-90 % range, stuck, time.
// A column `failed` where there are such trials.
std::string summary_table(std::span<const CellSummary> summaries);

// A line a cell with failed trials: how many, and the reason of the first.
std::vector<std::string> failure_lines(std::span<const CellSummary> summaries);

}  // namespace sau
