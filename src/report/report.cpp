#include "sau/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/paper_order.hpp"
#include "report/report_parts.hpp"
#include "report/styles.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/core/version.hpp"

namespace sau {
namespace {

using detail::GatheredCell;
using detail::ProblemCells;
using detail::SectionCells;

constexpr std::string_view kOverview = "overview";
constexpr std::string_view kTheory = "theory";

ReportRun run_of(const std::filesystem::path& folder, const detail::Gathered& gathered,
                 std::size_t place) {
  const RunResults& results = gathered.runs[place].results;
  ReportRun run{.folder = folder.string(),
                .version = results.version,
                .machine = {},
                .finished = {},
                .seed = results.seed,
                .trials = gathered.runs[place].trials,
                .asked = gathered.runs[place].asked};
  if (!results.sessions.empty()) {
    const Session& last = results.sessions.back();
    run.machine = last.cpu.empty() ? "" : fmt::format("{}, kernel {}", last.cpu, last.kernel);
    run.finished = last.finished;
  }
  return run;
}

// Two folders may hold different data under one problem name.
void check_data(std::span<const std::filesystem::path> folders, const SectionCells& section) {
  for (const ProblemCells& problem : section.problems) {
    const GatheredCell* known = nullptr;  // the first cell whose data have a fingerprint
    for (const GatheredCell* cell : problem.cells) {
      if (known == nullptr && !cell->summary.cell.data.empty()) known = cell;
      if (known == nullptr || !cell->summary.cell.other_data(known->summary.cell)) continue;
      throw Error(fmt::format(
          "{} and {} hold {} with different data under the same name: make separate reports",
          folders[known->folder].string(), folders[cell->folder].string(),
          problem.first().problem));
    }
  }
}

ProblemFigure figure_of(const ProblemCells& problem, std::span<const std::uint64_t> sources,
                        bool compared) {
  const Cell& first = problem.first();
  ProblemFigure figure{.id = slug(first.problem),
                       .problem = first.problem,
                       .title = detail::problem_title(first),
                       .problem_spec = first.problem_spec,
                       .note = detail::problem_note(first),
                       .steps = first.steps,
                       .points = problem.cells.front()->points,
                       .series = {},
                       .comparison = {},
                       .costs = {}};
  for (std::size_t i = 0; i < problem.cells.size(); ++i) {
    figure.series.push_back(problem.cells[i]->series);
    figure.series.back().algorithm = problem.algorithms[i];
  }
  if (compared) {
    figure.comparison = compare(detail::regrets_of(problem, sources));
    figure.costs = detail::costs_text(figure);
  }
  return figure;
}

std::vector<Table> tables_of(const SectionCells& section, bool paper,
                             std::vector<std::string>& without) {
  std::vector<CellSummary> summaries;
  for (const ProblemCells& problem : section.problems) {
    for (const GatheredCell* cell : problem.cells) summaries.push_back(cell->summary);
  }
  auto tables = make_tables(summaries, {.paper = paper});
  for (const Table& table : tables) {
    if (table.kind == TableKind::kNormalised && table.cells.empty())
      without.push_back(section.title);
  }
  std::erase_if(tables, [](const Table& table) { return table.cells.empty(); });
  return tables;
}

ReportSection section_of(const SectionCells& cells, std::span<const std::uint64_t> sources,
                         const ReportOptions& options, std::vector<std::string>& without_uniform) {
  ReportSection section;
  section.id = cells.id;
  section.title = cells.title;
  section.text = cells.text;
  for (const ProblemCells& problem : cells.problems) {
    section.problems.push_back(figure_of(problem, sources, options.compare));
  }
  section.parameters = detail::parameter_figures(cells, options.paper);
  section.tables = tables_of(cells, options.paper, without_uniform);
  return section;
}

// Two figures may want the same id: the same problem with other steps, or names with equal slugs.
void make_ids_unique(std::span<ReportSection> sections) {
  std::set<std::string> taken;
  const auto unique = [&](std::string& id) {
    const std::string stem = id;
    for (int i = 2; !taken.insert(id).second; ++i) id = fmt::format("{}-{}", stem, i);
  };
  for (ReportSection& section : sections) unique(section.id);
  for (ReportSection& section : sections) {
    for (ProblemFigure& figure : section.problems) unique(figure.id);
    for (ParameterFigure& figure : section.parameters) unique(figure.id);
    for (RankFigure& figure : section.ranks) unique(figure.id);
    for (TimeFigure& figure : section.times) unique(figure.id);
  }
}

std::vector<AlgorithmStyle> algorithms_of(std::span<const SectionCells> sections) {
  std::vector<std::string> names;
  for (const SectionCells& section : sections) {
    for (const ProblemCells& problem : section.problems) {
      for (const std::string& name : problem.algorithms) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
  }
  return detail::styles_of(names);
}

void check_only(std::span<const SectionCells> sections, const std::vector<std::string>& only) {
  std::vector<std::string> known;
  for (const SectionCells& section : sections) known.push_back(section.id);
  known.emplace_back(kOverview);
  known.emplace_back(kTheory);
  for (const std::string& id : only) {
    if (std::ranges::find(known, id) == known.end()) {
      throw UsageError(unknown_name("section", id, known));
    }
  }
}

void read_theories(std::span<const std::filesystem::path> folders, Report& report) {
  std::string from;
  for (const std::filesystem::path& folder : folders) {
    auto checks = detail::read_theory(folder);
    if (checks.empty()) continue;
    if (report.theory.empty()) {
      report.theory = std::move(checks);
      from = folder.string();
    } else {
      report.notes.push_back(
          fmt::format("{} and {} both have theory checks: those of {} are shown.", from,
                      folder.string(), from));
    }
  }
}

void add_differences(Report& report) {
  std::set<std::string> used;
  for (const ReportSection& section : report.sections) {
    for (const Table& table : section.tables) {
      for (const TableCell& cell : table.cells)
        used.insert(cell.differs.begin(), cell.differs.end());
    }
  }
  for (const Difference& difference : detail::known_differences()) {
    if (used.contains(difference.id)) report.differences.push_back(difference);
  }
}

// Whether everything in the report repeats the paper.
bool repeats(const Paper& paper, const std::set<std::string>& problems, const Report& report) {
  return std::ranges::all_of(problems,
                             [&](const std::string& name) {
                               return std::ranges::find(paper.problems, name,
                                                        &PaperProblem::name) !=
                                      paper.problems.end();
                             }) &&
         std::ranges::all_of(report.algorithms, [&](const AlgorithmStyle& style) {
           return std::ranges::find(paper.algorithms, style.name) != paper.algorithms.end() ||
                  std::ranges::find(paper.styles, style.name, &AlgorithmStyle::name) !=
                      paper.styles.end();
         });
}

// What was run, as far as it is shown. The overview shows all problems without a figure for each.
std::string default_title(const Report& report, std::span<const SectionCells> sections) {
  std::set<std::string> problems;
  const auto shows = [&](std::string_view id) {
    return std::ranges::find(report.sections, id, &ReportSection::id) != report.sections.end();
  };
  for (const SectionCells& section : sections) {
    if (!shows(section.id) && !shows(kOverview)) continue;
    for (const ProblemCells& problem : section.problems) problems.insert(problem.first().problem);
  }
  if (problems.empty()) return "Checks of the theory";
  for (const Paper& paper : papers()) {
    if (report.paper && repeats(paper, problems, report)) return paper.report_title;
  }
  const std::size_t agents = report.algorithms.size();
  return fmt::format(
      "{} algorithm{} on {}", agents, agents == 1 ? "" : "s",
      problems.size() == 1 ? *problems.begin() : fmt::format("{} problems", problems.size()));
}

}  // namespace

Report make_report(std::span<const std::filesystem::path> folders, const ReportOptions& options) {
  const auto gathered = detail::gather_cells(folders, Curves::kRead);
  const auto sources = detail::sources_of(gathered.runs);
  const auto sections = detail::make_sections(gathered.cells);
  check_only(sections, options.only);
  const auto wanted = [&](std::string_view id) {
    return options.only.empty() || std::ranges::find(options.only, id) != options.only.end();
  };
  Report report;
  report.version = version();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    report.runs.push_back(run_of(folders[i], gathered, i));
  }
  detail::note_runs(folders, gathered, report.notes);
  detail::note_cells(gathered.cells, report.notes);
  report.algorithms = algorithms_of(sections);
  std::vector<std::string> without_uniform;
  for (const SectionCells& section : sections) {
    check_data(folders, section);
    if (!wanted(section.id)) continue;
    report.sections.push_back(section_of(section, sources, options, without_uniform));
    report.paper = report.paper || has_paper(report.sections.back().tables);
  }
  detail::note_comparisons(report.sections, report.notes);
  if (wanted(kOverview) && !sections.empty()) {
    report.sections.push_back(
        detail::make_overview(sections, sources, options.compare, report.notes));
  }
  if (!without_uniform.empty()) {
    report.notes.push_back(fmt::format("No normalised table for {}, because Uniform was not run.",
                                       detail::listed(without_uniform)));
  }
  make_ids_unique(report.sections);
  if (wanted(kTheory)) read_theories(folders, report);
  if (report.sections.empty() && report.theory.empty()) {
    std::vector<std::string> names;
    for (const auto& folder : folders) names.push_back(folder.string());
    throw Error("there are no finished trials in " + detail::listed(names));
  }
  add_differences(report);
  report.title = options.title.empty() ? default_title(report, sections) : options.title;
  return report;
}

}  // namespace sau
