#include <algorithm>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/report/table.hpp"

namespace sau {
namespace {

struct Gathered {
  CellSummary summary;
  std::size_t folder = 0;
  std::uint64_t seed = 0;
};

// What distinguishes two cells of one name, for a person.
std::string difference(const Gathered& a, const Gathered& b) {
  const Cell &one = a.summary.cell, &two = b.summary.cell;
  const auto both = [](const std::string& what, const std::string& x, const std::string& y) {
    return what + " " + x + " and " + y;
  };
  if (one.problem_spec != two.problem_spec) return both("as", one.problem_spec, two.problem_spec);
  if (one.agent_spec != two.agent_spec) return both("as", one.agent_spec, two.agent_spec);
  if (one.steps != two.steps) {
    return both("with steps", std::to_string(one.steps), std::to_string(two.steps));
  }
  if (one.other_data(two)) return "with other data behind the same name";
  return both("with seeds", std::to_string(a.seed), std::to_string(b.seed));
}

}  // namespace

std::vector<CellSummary> gather(std::span<const std::filesystem::path> folders) {
  std::vector<Gathered> gathered;
  for (std::size_t folder = 0; folder < folders.size(); ++folder) {
    const RunResults results = read_results(folders[folder], Curves::kSkip);
    std::vector<Cell> cells;
    for (const CellResults& cell : results.cells) cells.push_back(cell.cell);
    for (CellSummary& summary : summarise(results, cells)) {
      Gathered next{.summary = std::move(summary), .folder = folder, .seed = results.seed};
      const Cell& cell = next.summary.cell;
      // Within a folder two cells of one name may differ: they are two rows.
      auto twin = std::ranges::find_if(gathered, [&](const Gathered& known) {
        return known.folder != folder && known.summary.cell.same_as(cell);
      });
      if (twin == gathered.end()) {
        twin = std::ranges::find_if(gathered, [&](const Gathered& known) {
          return known.folder != folder && known.summary.cell.problem == cell.problem &&
                 known.summary.cell.agent == cell.agent;
        });
      }
      if (twin == gathered.end()) {
        gathered.push_back(std::move(next));
        continue;
      }
      if (!twin->summary.cell.same_as(cell) || twin->summary.cell.other_data(cell) ||
          twin->seed != next.seed) {
        throw Error(folders[twin->folder].string() + " and " + folders[folder].string() +
                    " both hold " + cell.problem + " with " + cell.agent + ", " +
                    difference(*twin, next) + ": make a table of each");
      }
      if (next.summary.trials > twin->summary.trials) twin->summary = std::move(next.summary);
    }
  }
  std::vector<CellSummary> summaries;
  summaries.reserve(gathered.size());
  for (Gathered& cell : gathered) summaries.push_back(std::move(cell.summary));
  return summaries;
}

}  // namespace sau
