#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/gathered.hpp"
#include "sau/report/report.hpp"

// What the files behind make_report() share.
namespace sau::detail {

// The cells of one problem with one number of steps; the algorithms of the figure in their order.
struct ProblemCells {
  std::vector<const GatheredCell*> cells;
  std::vector<std::string> algorithms;  // names, each once: a second agent of a name has its spec

  const Cell& first() const { return cells.front()->summary.cell; }
};

// A family of problems: a part of the paper, or problems of the user's own.
struct SectionCells {
  std::string id, title, text;
  std::vector<ProblemCells> problems;  // in the paper's order
};

// Where a trial has its contexts and noise from: folders of one seed and version share them.
std::vector<std::uint64_t> sources_of(std::span<const GatheredRun> runs);

// Only problems and algorithms that have a trial that counts.
std::vector<SectionCells> make_sections(std::span<const GatheredCell> cells);

// Names of the problem for people: its title, and what is easily mistaken about it.
std::string problem_title(const Cell& cell);
std::string problem_note(const Cell& cell);

ProblemRegrets regrets_of(const ProblemCells& problem, std::span<const std::uint64_t> sources);

// The family's problems along a number in which alone they differ, where there are three or more.
std::vector<ParameterFigure> parameter_figures(const SectionCells& section, bool paper);

// Ranks and times over all problems; what had to be left out is noted.
ReportSection make_overview(std::span<const SectionCells> sections,
                            std::span<const std::uint64_t> sources, bool compare,
                            std::vector<std::string>& notes);

// The checks of a folder's theory.json; none where there is no such file. Throws Error when it is
// damaged.
std::vector<TheoryCheck> read_theory(const std::filesystem::path& folder);

// What the reader must know about the folders and their cells.
void note_runs(std::span<const std::filesystem::path> folders, const Gathered& gathered,
               std::vector<std::string>& notes);
void note_cells(std::span<const GatheredCell> cells, std::vector<std::string>& notes);
void note_comparisons(std::span<const ReportSection> sections, std::vector<std::string>& notes);

// "a, b and c"; beyond `most` of them "a, b and 5 more".
std::string listed(std::span<const std::string> names, std::size_t most = 12);

}  // namespace sau::detail
