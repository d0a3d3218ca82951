#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/gathered.hpp"
#include "sau/report/report.hpp"

// Shared by the files that implement make_report().
namespace sau::detail {

// The cells of one problem with one number of steps, in the order of the figure's algorithms.
struct ProblemCells {
  std::vector<const GatheredCell*> cells;
  std::vector<std::string>
      algorithms;  // unique names: a second agent with the same name gets its spec

  const Cell& first() const { return cells.front()->summary.cell; }
};

// A family of problems: a part of the paper, or the user's own problems.
struct SectionCells {
  std::string id, title, text;
  std::vector<ProblemCells> problems;  // in the paper's order
};

// Where a trial's contexts and noise come from: folders with the same seed and version share them.
std::vector<std::uint64_t> sources_of(std::span<const GatheredRun> runs);

// Only problems and algorithms with at least one trial that did not fail.
std::vector<SectionCells> make_sections(std::span<const GatheredCell> cells);

// Title of the problem for people, and a warning about a likely confusion.
std::string problem_title(const Cell& cell);
std::string problem_note(const Cell& cell);

ProblemRegrets regrets_of(const ProblemCells& problem, std::span<const std::uint64_t> sources);

// A sentence that names, for every algorithm, those with less regret and no more processor time
// (5 % more counts as equal). Less regret: by the mean of the paired differences, whose 95 %
// interval is on one side of 0, and by Wilcoxon's test at the 5 % level. It is not corrected for
// the number of pairs, so that it shows every weakness. Empty if there is none.
std::string costs_text(const ProblemFigure& figure);

// One figure for every three or more problems of the family that differ in only one number.
std::vector<ParameterFigure> parameter_figures(const SectionCells& section, bool paper);

// Ranks and times over all problems; `notes` gets what had to be left out.
ReportSection make_overview(std::span<const SectionCells> sections,
                            std::span<const std::uint64_t> sources, bool compare,
                            std::vector<std::string>& notes);

// The checks in a folder's theory.json; none if there is no such file. Throws Error if it is
// damaged.
std::vector<TheoryCheck> read_theory(const std::filesystem::path& folder);

// What the reader must know about the folders and their cells.
void note_runs(std::span<const std::filesystem::path> folders, const Gathered& gathered,
               std::vector<std::string>& notes);
void note_cells(std::span<const GatheredCell> cells, std::vector<std::string>& notes);
void note_comparisons(std::span<const ReportSection> sections, std::vector<std::string>& notes);

// "a, b and c"; for more than `most` names "a, b and 5 more".
std::string listed(std::span<const std::string> names, std::size_t most = 12);

}  // namespace sau::detail
