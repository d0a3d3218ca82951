#include "sau/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/paper_order.hpp"
#include "stats/distributions.hpp"

namespace sau {
namespace {

using detail::algorithm_rank;
using detail::family_of;
using detail::kUniform;
using detail::paper_beside;
using detail::paper_with;
using detail::problem_rank;
using detail::says_synthetic;

constexpr double kNearErrors = 2.0;  // combined standard errors
constexpr double kUncertain = 0.1;   // relative error of Uniform that makes ratios useless

struct Column {
  std::string problem, spec;  // name for people, canonical
  std::uint64_t steps = 0;
  std::size_t rank = 0;
  bool synthetic = false;
};

// One family of problems: columns, rows and cells.
struct Grid {
  std::string family;
  std::vector<Column> columns;
  std::vector<std::string> rows;
  std::map<std::pair<std::size_t, std::size_t>, const CellSummary*> cells;  // row, column

  const CellSummary* find(std::size_t row, std::size_t column) const {
    const auto found = cells.find({row, column});
    return found == cells.end() || found->second->trials == 0 ? nullptr : found->second;
  }
};

std::size_t column_of(Grid& grid, const Cell& cell) {
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    const Column& column = grid.columns[i];
    if (column.spec == cell.problem_spec && column.steps == cell.steps) return i;
  }
  grid.columns.push_back({.problem = cell.problem,
                          .spec = cell.problem_spec,
                          .steps = cell.steps,
                          .rank = problem_rank(cell.problem),
                          .synthetic = says_synthetic(cell.problem + cell.problem_spec)});
  return grid.columns.size() - 1;
}

// The row of that name; adds it if necessary.
std::size_t row_of(Grid& grid, const std::string& name) {
  const auto found = std::ranges::find(grid.rows, name);
  if (found != grid.rows.end()) return static_cast<std::size_t>(found - grid.rows.begin());
  grid.rows.push_back(name);
  return grid.rows.size() - 1;
}

// If two agents on a problem have the same name, the second is shown by its spec.
void place(Grid& grid, const CellSummary& summary) {
  const std::size_t column = column_of(grid, summary.cell);
  std::size_t row = row_of(grid, summary.cell.agent);
  if (grid.cells.contains({row, column})) row = row_of(grid, summary.cell.agent_spec);
  grid.cells.try_emplace({row, column}, &summary);
}

template <class Rank>
std::vector<std::size_t> order_by(std::size_t count, const Rank& rank) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

Grid in_order(const Grid& grid) {
  const auto rows =
      order_by(grid.rows.size(), [&](std::size_t i) { return algorithm_rank(grid.rows[i]); });
  const auto columns =
      order_by(grid.columns.size(), [&](std::size_t i) { return grid.columns[i].rank; });
  Grid sorted{.family = grid.family, .columns = {}, .rows = {}, .cells = {}};
  for (const std::size_t column : columns) sorted.columns.push_back(grid.columns[column]);
  for (const std::size_t row : rows) sorted.rows.push_back(grid.rows[row]);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto found = grid.cells.find({rows[r], columns[c]});
      if (found != grid.cells.end()) sorted.cells[{r, c}] = found->second;
    }
  }
  return sorted;
}

std::vector<Grid> make_grids(std::span<const CellSummary> summaries, bool together) {
  std::vector<Grid> grids;
  for (const CellSummary& summary : summaries) {
    const std::string family = together ? "all problems" : family_of(summary.cell.problem_spec);
    auto grid = std::ranges::find(grids, family, &Grid::family);
    if (grid == grids.end()) {
      grids.push_back({.family = family, .columns = {}, .rows = {}, .cells = {}});
      grid = std::prev(grids.end());
    }
    place(*grid, summary);
  }
  for (Grid& grid : grids) grid = in_order(grid);
  return grids;
}

std::string family_name(const std::string& family) {
  return family == "dataset" ? "data sets" : family;
}

// "2000 steps", "3713 to 50000 steps".
std::string range_of(std::vector<std::uint64_t> numbers, std::string_view unit) {
  const auto [low, high] = std::ranges::minmax(numbers);
  const std::string range =
      low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  return fmt::format("{} {}{}", range, unit, low == 1 && high == 1 ? "" : "s");
}

std::string title_of(TableKind kind, const Grid& grid) {
  std::vector<std::uint64_t> steps, trials;
  for (const Column& column : grid.columns) steps.push_back(column.steps);
  for (const auto& [place, summary] : grid.cells) trials.push_back(summary->trials);
  const std::string what = kind == TableKind::kRegret       ? "Cumulative regret"
                           : kind == TableKind::kNormalised ? "Cumulative regret, Uniform = 100"
                                                            : "Processor time per trial, seconds";
  return fmt::format("{}: {}, {}, {}", what, family_name(grid.family), range_of(steps, "step"),
                     range_of(trials, "trial"));
}

// "wheel-0.50", with the steps if the same problem appears with several.
std::string label_of(const Grid& grid, const Column& column) {
  std::string label = column.problem;
  const auto same = std::ranges::count(grid.columns, column.spec, &Column::spec);
  if (same > 1) label += fmt::format(" ({} steps)", column.steps);
  if (column.synthetic && !says_synthetic(column.problem)) label += " (synthetic)";
  return label;
}

// Fills one table of one family.
class Filler {
 public:
  Filler(TableKind kind, const Grid& grid, bool paper) : grid_(grid), with_paper_(paper) {
    table_.kind = kind;
    table_.title = title_of(kind, grid);
  }

  Table fill() && {
    choose_columns();
    if (columns_.empty()) return std::move(table_);
    for (const std::size_t c : columns_) {
      table_.problems.push_back(label_of(grid_, grid_.columns[c]));
      table_.problem_specs.push_back(grid_.columns[c].spec);
      table_.steps.push_back(grid_.columns[c].steps);
      if (with_paper_) explain_paper(grid_.columns[c]);
    }
    table_.algorithms = grid_.rows;
    for (std::size_t r = 0; r < grid_.rows.size(); ++r) {
      for (const std::size_t c : columns_) table_.cells.push_back(cell_of(r, c));
    }
    if (table_.kind != TableKind::kTime) {
      for (std::size_t c = 0; c < columns_.size(); ++c) mark(c);
      add_notes_of_papers();
    } else if (has_paper({&table_, 1})) {
      table_.notes.emplace_back("The paper's seconds are those of its machine and its code.");
    }
    return std::move(table_);
  }

 private:
  const CellSummary* uniform(std::size_t column) const {
    const auto row = std::ranges::find(grid_.rows, kUniform) - grid_.rows.begin();
    return grid_.find(static_cast<std::size_t>(row), column);
  }

  void choose_columns() {
    std::vector<std::string> without;
    for (std::size_t c = 0; c < grid_.columns.size(); ++c) {
      const CellSummary* base = uniform(c);
      const bool possible = base != nullptr && base->regret.mean > 0.0;
      if (possible || table_.kind != TableKind::kNormalised) {
        columns_.push_back(c);
      } else {
        without.push_back(label_of(grid_, grid_.columns[c]));
      }
    }
    if (!without.empty()) {
      table_.notes.push_back(fmt::format("Not normalised, because Uniform has no result there: {}.",
                                         fmt::join(without, ", ")));
    }
  }

  // The paper whose numbers are shown for a column; null if there is none.
  const Paper* paper_of(const Column& column) const {
    if (!with_paper_ || column.synthetic) return nullptr;
    return paper_beside(column.problem, column.steps);
  }

  std::optional<detail::Printed> printed_beside(const Column& column,
                                                const std::string& algorithm) const {
    if (!with_paper_ || column.synthetic) return std::nullopt;
    return detail::printed(table_.kind, column.problem, column.steps, algorithm);
  }

  TableCell cell_of(std::size_t row, std::size_t column) {
    TableCell cell;
    const CellSummary* summary = grid_.find(row, column);
    const Column& place = grid_.columns[column];
    const std::string& name = grid_.rows[row];
    const auto beside = printed_beside(place, name);
    if (beside) cell.paper = beside->value;
    const bool time = table_.kind == TableKind::kTime;
    if (summary == nullptr || (time && summary->seconds <= 0.0)) return cell;
    cell.agent_spec = summary->cell.agent_spec;
    cell.trials = summary->counted();
    cell.failed = summary->failures.size();
    if (cell.failed > 0) {
      table_.notes.push_back(fmt::format("{} with {}: {} of {} trials failed{}.",
                                         label_of(grid_, place), name, cell.failed, summary->trials,
                                         cell.trials > 0 ? "; the numbers cover the others" : ""));
    }
    if (cell.trials == 0) return cell;
    const double scale =
        table_.kind == TableKind::kNormalised ? 100.0 / uniform(column)->regret.mean : 1.0;
    cell.mean = scale * (time ? summary->seconds : summary->regret.mean);
    if (cell.trials > 1) {
      cell.sem = scale * (time ? summary->seconds_sem : summary->regret.sem);
      const double wide =
          *cell.sem * detail::student_quantile(0.975, static_cast<double>(cell.trials - 1));
      cell.low = cell.mean - wide;
      cell.high = cell.mean + wide;
    }
    cell.stuck = summary->stuck;
    if (!time) {
      cell.median = scale * summary->regret.median;
      cell.groups = summary->groups;
      if (cell.groups) {
        cell.groups->low *= scale;
        cell.groups->high *= scale;
      }
    }
    const bool constant = table_.kind == TableKind::kNormalised && name == kUniform;
    if (cell.paper && cell.sem && !time && !constant) {
      const double error = std::hypot(*cell.sem, cell.paper->sem);
      if (error > 0.0) cell.z = (cell.mean - cell.paper->mean) / error;
      cell.differs = detail::differences_of(*beside->paper, table_.kind, place.problem, name,
                                            cell.z.value_or(0.0));
    }
    return cell;
  }

  void mark(std::size_t column) {
    std::vector<TableCell*> filled;
    std::size_t compared = 0;
    for (std::size_t r = 0; r < table_.algorithms.size(); ++r) {
      TableCell& cell = table_.cells[r * table_.problems.size() + column];
      if (cell.trials == 0) continue;
      ++compared;
      // If some trials lost the best action and others did not, their mean describes neither kind.
      if (cell.stuck == 0.0) filled.push_back(&cell);
    }
    if (compared < 2 || filled.empty()) return;
    const TableCell best =
        **std::ranges::min_element(filled, {}, [](const TableCell* cell) { return cell->mean; });
    for (TableCell* cell : filled) {
      const double above = cell->mean - best.mean;
      if (above <= 0.0) {
        cell->standing = Standing::kBest;
      } else if (cell->sem && best.sem &&
                 above <= kNearErrors * std::hypot(*cell->sem, *best.sem)) {
        cell->standing = Standing::kNear;
      }
    }
  }

  // Notes why the paper's numbers are missing, or need care.
  void explain_paper(const Column& column) {
    if (column.synthetic) {
      table_.notes.push_back(fmt::format(
          "{}: synthetic data, so the paper's numbers are not shown.", label_of(grid_, column)));
      return;
    }
    const Paper* paper = paper_of(column);
    if (paper == nullptr) {
      paper = paper_with(column.problem);
      if (paper == nullptr) return;
      table_.notes.push_back(
          fmt::format("{}: {} steps here, {} in the paper, so its numbers are not shown.",
                      column.problem, column.steps, paper->find_problem(column.problem)->steps));
      return;
    }
    const auto base = paper->value(TableKind::kRegret, column.problem, kUniform);
    if (table_.kind == TableKind::kNormalised && base && base->sem > kUncertain * base->mean) {
      table_.notes.push_back(
          fmt::format("{}: the paper's Uniform is {} ± {}, so compare the regret itself there.",
                      column.problem, base->mean, base->sem));
    }
  }

  // A note is shown if one of its cells is compared with the paper.
  bool is_shown(const Paper& paper, const Paper::Note& note) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = grid_.columns[columns_[c]];
      for (std::size_t r = 0; r < table_.algorithms.size(); ++r) {
        const std::string& algorithm = table_.algorithms[r];
        const TableCell& cell = table_.cell(r, c);
        const bool compared = cell.z || (cell.trials > 0 && cell.paper && !cell.paper->has_error());
        if (compared && printed_beside(column, algorithm)->paper == &paper &&
            note.cells.matches(table_.kind, column.problem, algorithm)) {
          return true;
        }
      }
    }
    return false;
  }

  void add_notes_of_papers() {
    for (const Paper& paper : papers()) {
      for (const Paper::Note& note : paper.notes) {
        if (is_shown(paper, note)) table_.notes.push_back(note.text);
      }
    }
  }

  const Grid& grid_;
  const bool with_paper_;
  std::vector<std::size_t> columns_;  // indices into grid_.columns
  Table table_;
};

}  // namespace

std::vector<Table> make_tables(std::span<const CellSummary> summaries,
                               const TableOptions& options) {
  std::vector<Table> tables;
  const auto grids = make_grids(summaries, options.together);
  for (const TableKind kind : options.kinds) {
    for (const Grid& grid : grids) tables.push_back(Filler(kind, grid, options.paper).fill());
  }
  return tables;
}

bool has_paper(std::span<const Table> tables) noexcept {
  return std::ranges::any_of(tables, [](const Table& table) {
    return std::ranges::any_of(table.cells, [](const TableCell& cell) { return !!cell.paper; });
  });
}

}  // namespace sau
