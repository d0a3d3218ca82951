#include <algorithm>
#include <array>
#include <map>

#include "report/paper_order.hpp"
#include "report/report_parts.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

struct FamilyText {
  std::string_view family, id, title, text;
};
// In the order of the page. Other families follow under their own names.
constexpr FamilyText kFamilies[] = {
    {"bernoulli", "multi-armed", "Multi-armed bandits",
     "Actions with fixed mean rewards and no contexts; regret is expected regret."},
    {"linear", "linear", "Linear bandits",
     "The mean reward of an action is a linear function of the context; regret is expected "
     "regret."},
    {"wheel", "wheel", "The wheel",
     "Contexts on a disc; the larger delta, the rarer are those on which one action pays far more "
     "than the safe one, and the more exploration it takes to find out."},
    {"dataset", "tables", "Data sets",
     "Contexts and rewards from the rows of a data set, which are shown in random order."},
    {"csv", "csv", "Own data: tables of values", "Contexts and classes from a file."},
    {"libsvm", "libsvm", "Own data: LIBSVM files", "Contexts and classes from a file."},
    {"rewards", "rewards", "Own data: rewards of every action",
     "Contexts and the rewards of all actions from a file."},
};

struct ProblemText {
  std::string_view name, title;
};
constexpr ProblemText kProblems[] = {
    {"bernoulli-10-0.1", "10 actions, gap 0.1, rewards 0 or 1"},
    {"bernoulli-50-0.1", "50 actions, gap 0.1, rewards 0 or 1"},
    {"bernoulli-10-0.02", "10 actions, gap 0.02, rewards 0 or 1"},
    {"bernoulli-50-0.02", "50 actions, gap 0.02, rewards 0 or 1"},
    {"uniform-10-0.1", "10 actions, gap 0.1, uniform rewards"},
    {"linear-5-5", "5 actions, 5 features"},
    {"linear-20-5", "20 actions, 5 features"},
    {"linear-5-40", "5 actions, 40 features"},
    {"linear-gaussian-theta", "5 actions, 5 features, Gaussian parameters"},
    {"linear-ar1-noise", "5 actions, 5 features, noise with memory (AR 1)"},
    {"linear-ar1-context", "5 actions, 5 features, contexts with memory (AR 1)"},
    {"linear-t2-context", "5 actions, 5 features, heavy-tailed contexts (Student's t, 2)"},
    {"wheel-0.50", "Wheel, delta 0.50"},
    {"wheel-0.70", "Wheel, delta 0.70"},
    {"wheel-0.90", "Wheel, delta 0.90"},
    {"wheel-0.95", "Wheel, delta 0.95"},
    {"wheel-0.99", "Wheel, delta 0.99"},
    {"mushroom", "Mushroom, outcomes drawn once a row"},
    {"mushroom-fresh", "Mushroom, outcomes drawn afresh at every step"},
    {"statlog", "Statlog (shuttle)"},
    {"covertype", "Covertype"},
    {"financial", "Financial"},
    {"jester", "Jester"},
    {"adult", "Adult"},
    {"census", "Census"},
    {"census-synthetic", "Census, synthetic rows"},
};

SectionCells section_of(const std::string& family) {
  for (const FamilyText& known : kFamilies) {
    if (known.family == family) {
      return {std::string(known.id), std::string(known.title), std::string(known.text), {}};
    }
  }
  return {slug(family), "Problems: " + family, "", {}};
}

std::size_t section_rank(const SectionCells& section) {
  const auto found = std::ranges::find(kFamilies, section.id, &FamilyText::id);
  return static_cast<std::size_t>(found - std::begin(kFamilies));
}

// Two agents of one name on the same problem: the second goes by its spec, as in tables.
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
  std::vector<SectionCells> sections;
  for (const GatheredCell& gathered : cells) {
    if (gathered.summary.counted() == 0) continue;
    const Cell& cell = gathered.summary.cell;
    const SectionCells fresh = section_of(family_of(cell.problem_spec));
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
  std::ranges::stable_sort(sections, {}, section_rank);
  for (SectionCells& section : sections) {
    std::ranges::stable_sort(section.problems, {}, [](const ProblemCells& problem) {
      return problem_rank(problem.first().problem);
    });
    std::ranges::for_each(section.problems, name_algorithms);
  }
  return sections;
}

std::string problem_title(const Cell& cell) {
  const auto known = std::ranges::find(kProblems, cell.problem, &ProblemText::name);
  std::string title = known == std::end(kProblems) ? cell.problem : std::string(known->title);
  if (says_synthetic(cell.problem + cell.problem_spec) && !says_synthetic(title)) {
    title += " (synthetic data)";
  }
  return title;
}

std::string problem_note(const Cell& cell) {
  if (says_synthetic(cell.problem + cell.problem_spec)) {
    return "Made-up rows: nothing here is to be compared with the paper's numbers.";
  }
  if (cell.problem == "mushroom") {
    return "The outcome of eating a poisonous mushroom is drawn once per row and trial, as in the "
           "code behind the paper's table.";
  }
  if (cell.problem == "mushroom-fresh") {
    return "Mushroom once more, the outcome of eating a poisonous one being drawn at every step, "
           "as the paper's text has it; the paper's table has the other kind.";
  }
  return "";
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
