#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/report/cell_summary.hpp"
#include "sau/report/paper.hpp"

namespace sau {

// How a cell compares with the other cells of its problem.
enum class Standing {
  kOther,
  kNear,  // at most two combined standard errors above the lowest mean
  kBest,  // the lowest mean
};

struct TableCell {
  std::uint64_t trials = 0;  // behind the mean; 0: the cell is empty
  std::uint64_t failed = 0;  // not part of any number here
  double mean = 0.0;
  std::optional<double> sem;        // absent for a single trial
  std::optional<PaperValue> paper;  // if the paper has one for the same problem and steps
  std::optional<double> z;          // (mean - paper.mean) / sqrt(sem^2 + paper.sem^2)
  Standing standing = Standing::kOther;
  std::string agent_spec;            // canonical; empty for an empty cell
  std::optional<double> low, high;   // Student's 95 % interval of the mean; present if sem is
  std::optional<double> median;      // regret tables only, on the table's scale
  double stuck = 0.0;                // share of the trials
  std::optional<TwoGroups> groups;   // of the trials, on the table's scale; not in time tables
  std::vector<std::string> differs;  // ids of Differences between our number and the paper's
};

// One table in the paper's form: one row per algorithm, one column per problem. The notes say what
// could not be shown and what the reader must know; a table may consist of notes alone.
struct Table {
  TableKind kind = TableKind::kRegret;
  std::string title;
  std::vector<std::string> problems, algorithms;  // names for people
  std::vector<std::string> problem_specs;         // canonical, one per problem
  std::vector<std::uint64_t> steps;               // one per problem
  std::vector<TableCell> cells;                   // row-major, algorithms x problems
  std::vector<std::string> notes;

  const TableCell& cell(std::size_t algorithm, std::size_t problem) const {
    return cells[algorithm * problems.size() + problem];
  }
};

struct TableOptions {
  std::vector<TableKind> kinds = {TableKind::kRegret, TableKind::kNormalised, TableKind::kTime};
  bool paper = true;      // show the paper's numbers beside ours
  bool together = false;  // all problems in one table, whatever their family
};

// For every kind, one table per family of problems (data sets, wheel, bernoulli, ...), or one table
// of all. Rows and columns are in the paper's order; the rest follow in the order of `summaries`.
//
// Normalised is as in the paper: mean and standard error, both times 100 / (mean of Uniform on the
// same problem). Uniform's own error is not propagated; the paper's two tables show that this is
// its rule. Problems without Uniform are left out, and a note says so. The paper's numbers are
// shown only for a problem with the same name and steps, and never for synthetic data, which is
// recognised by the word "synthetic" in name or spec.
std::vector<Table> make_tables(std::span<const CellSummary> summaries, const TableOptions& options);

// Whether any cell shows the paper's number.
bool has_paper(std::span<const Table> tables) noexcept;

// The cells of several result folders as one list. If two folders have the same cell, its specs,
// steps and seed must agree, and the one with more trials is taken. Otherwise throws Error, which
// names both folders.
std::vector<CellSummary> gather(std::span<const std::filesystem::path> folders);

// Aligned for terminals of 110 columns: * lowest mean, ~ near it.
std::string table_text(std::span<const Table> tables);
// GitHub Markdown: bold lowest mean, italic near it.
std::string table_markdown(std::span<const Table> tables);
// Long form, described in docs/tables.md: table,problem,algorithm,trials,mean,sem,... Numbers read
// back exactly; unknown values are empty; best is "best", "near" or empty; stuck is a share.
std::string table_csv(std::span<const Table> tables);
// For the package booktabs: bold lowest mean, italic near it.
std::string table_latex(std::span<const Table> tables);

struct TableFormat {
  std::string_view name, extension;
  std::string (*write)(std::span<const Table> tables);
};
// text, markdown, csv, latex.
std::span<const TableFormat> table_formats();

}  // namespace sau
