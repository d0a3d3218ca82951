#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "report/gathered.hpp"
#include "sau/core/error.hpp"
#include "sau/report/table.hpp"

namespace sau {
namespace detail {
namespace {

// How two cells with the same name differ, for people.
std::string difference(const GatheredCell& a, const GatheredCell& b) {
  const Cell &one = a.summary.cell, &two = b.summary.cell;
  const auto both = [](const std::string& what, const std::string& x, const std::string& y) {
    return what + " " + x + " and " + y;
  };
  if (one.problem_spec != two.problem_spec) return both("as", one.problem_spec, two.problem_spec);
  if (one.agent_spec != two.agent_spec) return both("as", one.agent_spec, two.agent_spec);
  if (one.steps != two.steps) {
    return both("with steps", std::to_string(one.steps), std::to_string(two.steps));
  }
  if (one.other_data(two)) return "with different data under the same name";
  return both("with seeds", std::to_string(a.seed), std::to_string(b.seed));
}

GatheredCell digest(const CellResults& results, Curves curves) {
  GatheredCell cell;
  cell.summary = summarise(results, results.cell.trials);
  for (std::size_t i = 0; i < cell.summary.trials; ++i) {
    const TrialRecord& trial = results.trials[i];
    cell.regret.push_back(trial.failed() ? std::numeric_limits<double>::quiet_NaN() : trial.regret);
  }
  if (curves == Curves::kRead) {
    cell.points = results.points;
    if (cell.summary.counted() > 0) cell.series = make_series(results, cell.summary);
  }
  return cell;
}

// The cell of an earlier folder that is the same as this one, or has the same name.
std::vector<GatheredCell>::iterator find_twin(std::vector<GatheredCell>& known,
                                              const GatheredCell& cell) {
  // Within a folder two cells with the same name may differ: they become two rows.
  const auto earlier = [&](const GatheredCell& other) { return other.folder != cell.folder; };
  const Cell& wanted = cell.summary.cell;
  const auto same = std::ranges::find_if(known, [&](const GatheredCell& other) {
    return earlier(other) && other.summary.cell.same_as(wanted);
  });
  if (same != known.end()) return same;
  return std::ranges::find_if(known, [&](const GatheredCell& other) {
    return earlier(other) && other.summary.cell.problem == wanted.problem &&
           other.summary.cell.agent == wanted.agent;
  });
}

}  // namespace

Gathered gather_cells(std::span<const std::filesystem::path> folders, Curves curves) {
  Gathered gathered;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t>
      twice;  // two folders -> number of cells in both
  for (std::size_t folder = 0; folder < folders.size(); ++folder) {
    std::vector<GatheredCell> cells;
    GatheredRun& run = gathered.runs.emplace_back();
    run.results = read_results(folders[folder], curves, [&](CellResults&& results) {
      cells.push_back(digest(results, curves));
      run.trials += cells.back().summary.trials;
      run.asked += results.cell.trials;
    });
    for (GatheredCell& cell : cells) {
      cell.folder = folder;
      cell.seed = run.results.seed;
      const auto twin = find_twin(gathered.cells, cell);
      if (twin == gathered.cells.end()) {
        gathered.cells.push_back(std::move(cell));
        continue;
      }
      const Cell &have = twin->summary.cell, &more = cell.summary.cell;
      if (!have.same_as(more) || have.other_data(more) || twin->seed != cell.seed) {
        throw Error(folders[twin->folder].string() + " and " + folders[folder].string() +
                    " both hold " + more.problem + " with " + more.agent + ", " +
                    difference(*twin, cell) + ": show them separately");
      }
      ++twice[{twin->folder, folder}];
      if (cell.summary.trials > twin->summary.trials) *twin = std::move(cell);
    }
  }
  for (const auto& [both, count] : twice) {
    gathered.notes.push_back(
        fmt::format("{} and {} both hold {}: for each, the one with more trials is shown.",
                    folders[both.first].string(), folders[both.second].string(),
                    count == 1 ? "one of the cells" : fmt::format("{} of the cells", count)));
  }
  return gathered;
}

}  // namespace detail

std::vector<CellSummary> gather(std::span<const std::filesystem::path> folders) {
  std::vector<CellSummary> summaries;
  for (detail::GatheredCell& cell : detail::gather_cells(folders, Curves::kSkip).cells) {
    summaries.push_back(std::move(cell.summary));
  }
  return summaries;
}

}  // namespace sau
