#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/paper_order.hpp"
#include "report/report_parts.hpp"

namespace sau::detail {
namespace {

std::vector<std::string> sorted_algorithms(const ProblemCells& problem) {
  std::vector<std::string> names = problem.algorithms;
  std::ranges::sort(names);
  return names;
}

// Problems with the same set of algorithms, in the order of the page.
struct RankGroup {
  std::vector<std::string> algorithms;  // sorted
  std::vector<const ProblemCells*> problems;
  std::vector<std::string> sections;  // titles
};

// Whether this is a variant of a problem that is also present: its data would count twice.
bool repeats_another(const Cell& cell, std::span<const SectionCells> sections) {
  for (const SectionCells& section : sections) {
    for (const ProblemCells& problem : section.problems) {
      const std::string& name = problem.first().problem;
      if (problem_rank(name) % 2 == 0 && cell.problem.starts_with(name + "-") &&
          problem_rank(cell.problem) == problem_rank(name) + 1) {
        return true;
      }
    }
  }
  return false;
}

std::vector<RankGroup> rank_groups(std::span<const SectionCells> sections,
                                   std::vector<std::string>& left_out) {
  std::vector<RankGroup> groups;
  for (const SectionCells& section : sections) {
    for (const ProblemCells& problem : section.problems) {
      if (repeats_another(problem.first(), sections)) {
        left_out.push_back(problem.first().problem + " (the same data as another)");
        continue;
      }
      const auto names = sorted_algorithms(problem);
      if (names.size() < 2) {
        left_out.push_back(problem.first().problem + " (one algorithm)");
        continue;
      }
      auto group = std::ranges::find(groups, names, &RankGroup::algorithms);
      if (group == groups.end()) {
        groups.push_back({.algorithms = names, .problems = {}, .sections = {}});
        group = std::prev(groups.end());
      }
      group->problems.push_back(&problem);
      if (std::ranges::find(group->sections, section.title) == group->sections.end()) {
        group->sections.push_back(section.title);
      }
    }
  }
  return groups;
}

void add_figure(const RankGroup& group, std::span<const std::uint64_t> sources,
                ReportSection& overview, std::vector<std::string>& left_out) {
  std::vector<ProblemRegrets> problems;
  for (const ProblemCells* problem : group.problems) {
    problems.push_back(regrets_of(*problem, sources));
    std::erase_if(problems.back().algorithms, [&](const AlgorithmRegrets& algorithm) {
      return !std::ranges::binary_search(group.algorithms, algorithm.algorithm);
    });
  }
  RankFigure figure{.id = fmt::format("ranks-{}", overview.ranks.size() + 1),
                    .title = {},
                    .ranks = rank_algorithms(problems)};
  for (const ProblemRegrets& problem : problems) {
    if (std::ranges::find(figure.ranks.problems, problem.problem) == figure.ranks.problems.end()) {
      left_out.push_back(problem.problem + " (no trials that all algorithms share)");
    }
  }
  figure.title =
      fmt::format("Mean rank of {} algorithms over {} problems: {}", figure.ranks.algorithms.size(),
                  figure.ranks.problems.size(), fmt::join(group.sections, ", "));
  if (!figure.ranks.problems.empty()) overview.ranks.push_back(std::move(figure));
}

// All problems, with the algorithms that all of them have.
RankGroup common_group(std::span<const RankGroup> groups) {
  RankGroup common = groups.front();
  for (const RankGroup& group : groups.subspan(1)) {
    std::vector<std::string> both;
    std::ranges::set_intersection(common.algorithms, group.algorithms, std::back_inserter(both));
    common.algorithms = std::move(both);
    common.problems.insert(common.problems.end(), group.problems.begin(), group.problems.end());
    for (const std::string& title : group.sections) {
      if (std::ranges::find(common.sections, title) == common.sections.end()) {
        common.sections.push_back(title);
      }
    }
  }
  return common;
}

void add_ranks(std::span<const SectionCells> sections, std::span<const std::uint64_t> sources,
               ReportSection& overview, std::vector<std::string>& notes) {
  std::vector<std::string> left_out;
  const auto groups = rank_groups(sections, left_out);
  if (groups.empty()) return;
  const RankGroup common = common_group(groups);
  const bool all = groups.size() > 1 && common.algorithms.size() > 1;
  for (const RankGroup& group : groups) {
    if (group.problems.size() > 1) {
      add_figure(group, sources, overview, left_out);
    } else if (groups.size() > 1 && !all) {
      left_out.push_back(group.problems.front()->first().problem +
                         " (no other problem with the same algorithms)");
    }
  }
  if (all) add_figure(common, sources, overview, left_out);
  if (!left_out.empty() && !overview.ranks.empty()) {
    notes.push_back(fmt::format("Not in the mean ranks: {}.", listed(left_out)));
  }
}

// The regret that counts as 100 on a problem: Uniform's mean, or else the highest mean.
double scale_of(const ProblemCells& problem, bool& uniform) {
  double highest = 0.0;
  uniform = false;
  for (std::size_t i = 0; i < problem.cells.size(); ++i) {
    const double mean = problem.cells[i]->summary.regret.mean;
    if (problem.algorithms[i] == kUniform && mean > 0.0) {
      uniform = true;
      return mean;
    }
    highest = std::max(highest, mean);
  }
  return highest;
}

void add_times(std::span<const SectionCells> sections, ReportSection& overview,
               std::vector<std::string>& notes) {
  TimeFigure by_uniform{.id = "time-uniform",
                        .title = "Time against regret, Uniform = 100",
                        .axis = "regret, percent of Uniform's",
                        .points = {}};
  TimeFigure by_highest{.id = "time-highest",
                        .title = "Time against regret, highest mean of the problem = 100",
                        .axis = "regret, percent of the problem's highest mean",
                        .points = {}};
  std::vector<std::string> left_out;
  for (const SectionCells& section : sections) {
    for (const ProblemCells& problem : section.problems) {
      bool uniform = false;
      const double scale = scale_of(problem, uniform);
      bool missing = scale <= 0.0;
      for (std::size_t i = 0; i < problem.cells.size(); ++i) {
        const CellSummary& summary = problem.cells[i]->summary;
        missing = missing || summary.seconds <= 0.0;
        if (scale <= 0.0 || summary.seconds <= 0.0) continue;
        (uniform ? by_uniform : by_highest)
            .points.push_back({.algorithm = problem.algorithms[i],
                               .problem = problem.first().problem,
                               .seconds = summary.seconds,
                               .regret = 100.0 * summary.regret.mean / scale});
      }
      if (missing) left_out.push_back(problem.first().problem);
    }
  }
  for (TimeFigure* figure : {&by_uniform, &by_highest}) {
    if (!figure->points.empty()) overview.times.push_back(std::move(*figure));
  }
  if (!left_out.empty()) {
    notes.push_back(fmt::format(
        "Time against regret is incomplete, because times are missing or regrets are 0, on {}.",
        listed(left_out)));
  }
}

// All algorithms on all problems, if no other table has them together.
void add_table(std::span<const SectionCells> sections, ReportSection& overview) {
  if (sections.size() < 2) return;
  std::vector<CellSummary> summaries;
  for (const SectionCells& section : sections) {
    for (const ProblemCells& problem : section.problems) {
      for (const GatheredCell* cell : problem.cells) summaries.push_back(cell->summary);
    }
  }
  overview.tables =
      make_tables(summaries, {.kinds = {TableKind::kRegret}, .paper = false, .together = true});
}

}  // namespace

ReportSection make_overview(std::span<const SectionCells> sections,
                            std::span<const std::uint64_t> sources, bool compare,
                            std::vector<std::string>& notes) {
  ReportSection overview;
  overview.id = "overview";
  overview.title = "Over all problems";
  if (compare) add_ranks(sections, sources, overview, notes);
  if (!overview.ranks.empty()) {
    overview.text =
        "Rank 1 is the lowest mean regret of a problem; intervals are 95 % bootstrap intervals "
        "(percentile) over the trials. Problems with the same algorithms are ranked together.";
  }
  add_times(sections, overview, notes);
  add_table(sections, overview);
  return overview;
}

}  // namespace sau::detail
