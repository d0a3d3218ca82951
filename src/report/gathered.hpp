#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sau/report/cell_summary.hpp"
#include "sau/report/report.hpp"

namespace sau::detail {

// What is kept of a cell while a report is made; the trials' curves would take too much memory.
struct GatheredCell {
  CellSummary summary;
  std::size_t folder = 0;  // index of its folder
  std::uint64_t seed = 0;
  std::vector<double> regret;         // by trial number; NaN for a failed trial
  std::vector<std::uint64_t> points;  // steps of the curves
  Series series;                      // set if curves were read and a trial counts
};

struct GatheredRun {
  RunResults results;                   // without cells
  std::uint64_t trials = 0, asked = 0;  // summed over the folder's cells
};

struct Gathered {
  std::vector<GatheredCell> cells;
  std::vector<GatheredRun> runs;   // one per folder
  std::vector<std::string> notes;  // about cells that two folders have
};

// See gather() in sau/report/table.hpp.
Gathered gather_cells(std::span<const std::filesystem::path> folders, Curves curves);

// The curves and the distribution of the trials that did not fail; there must be at least one.
Series make_series(const CellResults& results, const CellSummary& summary);

// Mean and Student's 95 % interval; no interval for a single value.
Estimate mean_estimate(double mean, double sem, std::uint64_t count);

}  // namespace sau::detail
