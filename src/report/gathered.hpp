#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sau/report/cell_summary.hpp"
#include "sau/report/report.hpp"

namespace sau::detail {

// What is kept of a cell while a report is made: not its trials' curves, which are many.
struct GatheredCell {
  CellSummary summary;
  std::size_t folder = 0;  // place among the folders
  std::uint64_t seed = 0;
  std::vector<double> regret;         // by number of the trial; NaN where it failed
  std::vector<std::uint64_t> points;  // steps of the curves
  Series series;                      // where curves were read and a trial counts
};

struct GatheredRun {
  RunResults results;                   // without cells
  std::uint64_t trials = 0, asked = 0;  // in all of the folder's cells
};

struct Gathered {
  std::vector<GatheredCell> cells;
  std::vector<GatheredRun> runs;   // one a folder
  std::vector<std::string> notes;  // which folder's cell was taken where two have it
};

// See gather() in sau/report/table.hpp.
Gathered gather_cells(std::span<const std::filesystem::path> folders, Curves curves);

// The curves and the distribution of the trials that did not fail; at least one.
Series make_series(const CellResults& results, const CellSummary& summary);

// Mean and Student's 95 % interval, which a single value does not have.
Estimate mean_estimate(double mean, double sem, std::uint64_t count);

}  // namespace sau::detail
