#include <algorithm>
#include <map>

#include "report/paper_order.hpp"
#include "report/report_parts.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

// Families of problems that belong to no paper. Other families are shown under their own names.
const std::vector<PaperSection>& own_sections() {
  static const std::vector<PaperSection> kSections = {
      {"csv", "csv", "Your data: tables of values", "Contexts and classes from a file."},
      {"libsvm", "libsvm", "Your data: LIBSVM files", "Contexts and classes from a file."},
      {"rewards", "rewards", "Your data: rewards of every action",
       "Contexts and the rewards of all actions from a file."},
  };
  return kSections;
}

// In the order of the page: the papers' sections come first.
std::vector<PaperSection> known_sections() {
  std::vector<PaperSection> sections;
  for (const Paper& paper : papers()) {
    sections.insert(sections.end(), paper.sections.begin(), paper.sections.end());
  }
  sections.insert(sections.end(), own_sections().begin(), own_sections().end());
  return sections;
}

SectionCells section_of(std::span<const PaperSection> sections, const std::string& family) {
  const auto known = std::ranges::find(sections, family, &PaperSection::family);
  if (known != sections.end()) return {known->id, known->title, known->text, {}};
  return {slug(family), "Problems: " + family, "", {}};
}

// What a paper says about a problem of that name; null if nothing.
const PaperProblem* text_of(const std::string& problem) {
  for (const Paper& paper : papers()) {
    const auto found = std::ranges::find(paper.problems, problem, &PaperProblem::name);
    if (found != paper.problems.end()) return &*found;
  }
  return nullptr;
}

// If two agents on a problem have the same name, the second is shown by its spec, as in tables.
void name_algorithms(ProblemCells& problem) {
  std::vector<std::string> names;
  for (const GatheredCell* cell : problem.cells) {
    const std::string& name = cell->summary.cell.agent;
    const bool taken = std::ranges::find(names, name) != names.end();
    names.push_back(taken ? cell->summary.cell.agent_spec : name);
  }
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return algorithm_rank(names[i]); });
  std::vector<const GatheredCell*> cells;
  for (const std::size_t i : order) {
    problem.algorithms.push_back(names[i]);
    cells.push_back(problem.cells[i]);
  }
  problem.cells = std::move(cells);
}

}  // namespace

std::vector<std::uint64_t> sources_of(std::span<const GatheredRun> runs) {
  std::vector<std::uint64_t> sources;
  for (const auto& [results, trials, asked] : runs) {
    sources.push_back(scope_of(std::to_string(results.seed) + " " + results.version));
  }
  return sources;
}

std::vector<SectionCells> make_sections(std::span<const GatheredCell> cells) {
  const auto known_order = known_sections();
  std::vector<SectionCells> sections;
  for (const GatheredCell& gathered : cells) {
    if (gathered.summary.counted() == 0) continue;
    const Cell& cell = gathered.summary.cell;
    const SectionCells fresh = section_of(known_order, family_of(cell.problem_spec));
    auto section = std::ranges::find(sections, fresh.id, &SectionCells::id);
    if (section == sections.end()) {
      sections.push_back(fresh);
      section = std::prev(sections.end());
    }
    auto problem = std::ranges::find_if(section->problems, [&](const ProblemCells& known) {
      return known.first().problem_spec == cell.problem_spec && known.first().steps == cell.steps;
    });
    if (problem == section->problems.end()) {
      section->problems.emplace_back();
      problem = std::prev(section->problems.end());
    }
    problem->cells.push_back(&gathered);
  }
  std::ranges::stable_sort(sections, {}, [&](const SectionCells& section) {
    return std::ranges::find(known_order, section.id, &PaperSection::id) - known_order.begin();
  });
  for (SectionCells& section : sections) {
    std::ranges::stable_sort(section.problems, {}, [](const ProblemCells& problem) {
      return problem_rank(problem.first().problem);
    });
    std::ranges::for_each(section.problems, name_algorithms);
  }
  return sections;
}

std::string problem_title(const Cell& cell) {
  const PaperProblem* known = text_of(cell.problem);
  std::string title = known == nullptr || known->title.empty() ? cell.problem : known->title;
  if (says_synthetic(cell.problem + cell.problem_spec) && !says_synthetic(title)) {
    title += " (synthetic data)";
  }
  return title;
}

std::string problem_note(const Cell& cell) {
  if (says_synthetic(cell.problem + cell.problem_spec)) {
    return "Synthetic rows: do not compare these numbers with the paper's.";
  }
  const PaperProblem* known = text_of(cell.problem);
  return known == nullptr ? "" : known->note;
}

ProblemRegrets regrets_of(const ProblemCells& problem, std::span<const std::uint64_t> sources) {
  ProblemRegrets regrets{.problem = problem.first().problem, .algorithms = {}};
  for (std::size_t i = 0; i < problem.cells.size(); ++i) {
    regrets.algorithms.push_back({.algorithm = problem.algorithms[i],
                                  .regret = problem.cells[i]->regret,
                                  .source = sources[problem.cells[i]->folder]});
  }
  return regrets;
}

}  // namespace sau::detail
