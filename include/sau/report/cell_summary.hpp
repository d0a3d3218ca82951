#pragma once

#include <cstdint>
#include <optional>
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

// Summary of a cell. Regret, reward and stuck count only the trials that did not fail.
struct CellSummary {
  Cell cell;
  std::uint64_t trials = 0;  // in the results; may be fewer than requested
  std::vector<FailedTrial> failures;
  Summary regret, reward;
  std::optional<TwoGroups> groups;  // of the regrets, if they are two
  double stuck = 0.0;               // share of trials stuck on a wrong action
  double seconds = 0.0;             // mean processor time of a trial
  double seconds_sem = 0.0;         // its standard error

  // How many trials the numbers are based on.
  std::uint64_t counted() const noexcept { return trials - failures.size(); }
};

// The summary of the first `trials` trials, or of all if there are fewer.
CellSummary summarise(const CellResults& results, std::uint64_t trials);

// For each of `cells` the summary of its first `cell.trials` trials, or of all that `results` has.
std::vector<CellSummary> summarise(const RunResults& results, std::span<const Cell> cells);

// {"cells":[{"problem","agent",...}]}: one object per cell.
std::string summary_json(std::span<const CellSummary> summaries);

// One block per problem, one line per agent: mean and standard error, median, 10-90 % range, stuck,
// time. A column `failed` if any trial failed.
std::string summary_table(std::span<const CellSummary> summaries);

// What a reader should know before comparing these cells, one line each: agents that never explore,
// agents with two kinds of trials, and agents that did exactly as well as one that does not read
// contexts.
std::vector<std::string> remark_lines(std::span<const CellSummary> summaries);

// One line per cell with failed trials: how many, and why the first failed.
std::vector<std::string> failure_lines(std::span<const CellSummary> summaries);

}  // namespace sau
