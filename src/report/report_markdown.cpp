#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/estimate_text.hpp"
#include "sau/report/report.hpp"

namespace sau {
namespace {

using detail::estimate_text;
using detail::markdown_text;

std::string runs_text(const Report& report) {
  std::string text =
      "| folder | sau | seed | trials | machine | finished |\n|---|---|---|---|---|---|\n";
  for (const ReportRun& run : report.runs) {
    text += fmt::format("| {} | {} | {} | {} of {} | {} | {} |\n", markdown_text(run.folder),
                        markdown_text(run.version), run.seed, run.trials, run.asked,
                        markdown_text(run.machine), run.finished);
  }
  return text;
}

std::string comparison_text(const ProblemFigure& figure) {
  const ProblemComparison& comparison = figure.comparison;
  std::string text = fmt::format("\n### {}: paired differences\n\n", markdown_text(figure.title));
  if (!figure.note.empty()) text += markdown_text(figure.note) + "\n\n";
  text +=
      "| a | b | trials | a wins, ties, loses | mean of a - b | median of a - b | p | p (Holm) |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|\n";
  for (const PairComparison& pair : comparison.pairs) {
    const auto winner = detail::winner_of(pair);
    const auto name = [&](std::size_t i, detail::Winner wins) {
      const std::string shown = markdown_text(comparison.algorithms[i]);
      return winner == wins ? "**" + shown + "**" : shown;
    };
    text += fmt::format(
        "| {} | {} | {} | {}, {}, {} | {} | {} | {} | {} |\n", name(pair.a, detail::Winner::kA),
        name(pair.b, detail::Winner::kB), pair.trials, pair.wins, pair.ties, pair.losses,
        markdown_text(estimate_text(pair.mean)), markdown_text(estimate_text(pair.median)),
        markdown_text(detail::p_text(pair.p)), markdown_text(detail::p_text(pair.p_holm)));
  }
  if (comparison.heavy_tails) {
    std::string names;
    for (const std::string& name : comparison.heavy) {
      names += (names.empty() ? "" : ", ") + markdown_text(name);
    }
    text += "\nA few trials dominate the mean of " + names + ": trust the medians.\n";
  }
  if (!figure.costs.empty()) text += "\n" + markdown_text(figure.costs) + "\n";
  return text;
}

std::string ranks_text(const RankFigure& figure) {
  std::string text =
      fmt::format("\n### {}\n\n| algorithm | mean rank |", markdown_text(figure.title));
  for (const std::string& problem : figure.ranks.problems) {
    text += " " + markdown_text(problem) + " |";
  }
  text += "\n|---|---:|";
  for (std::size_t i = 0; i < figure.ranks.problems.size(); ++i) text += "---:|";
  text += "\n";
  for (const MeanRank& mean : figure.ranks.algorithms) {
    text += fmt::format("| {} | {} |", markdown_text(mean.algorithm),
                        markdown_text(estimate_text(mean.rank)));
    for (const double rank : mean.ranks) text += fmt::format(" {} |", rank);
    text += "\n";
  }
  return text;
}

std::string theory_table(const Report& report) {
  std::string text =
      "\n## Theory\n\n| check | where | computed | expected | verdict |\n|---|---|---:|---:|---|\n";
  for (const TheoryCheck& check : report.theory) {
    const std::string relation =
        check.relation == Relation::kEquals ? "" : std::string(relation_name(check.relation)) + " ";
    text += fmt::format("| {} | {} | {:.6g} | {}{:.6g} ± {:.3g} | {} |\n", markdown_text(check.id),
                        markdown_text(check.where), check.value, relation, check.expected,
                        check.tolerance, verdict_name(check.verdict));
  }
  return text;
}

}  // namespace

std::string report_markdown(const Report& report) {
  std::string text = fmt::format("# {}\n\n", markdown_text(report.title)) + runs_text(report);
  for (const std::string& note : report.notes) text += "\n> " + markdown_text(note) + "\n";
  bool compared = false;
  for (const ReportSection& section : report.sections) {
    text += fmt::format("\n## {}\n", markdown_text(section.title));
    if (!section.text.empty()) text += "\n" + markdown_text(section.text) + "\n";
    if (!section.tables.empty()) text += "\n" + table_markdown(section.tables);
    for (const ProblemFigure& figure : section.problems) {
      if (figure.comparison.pairs.empty()) continue;
      text += comparison_text(figure);
      compared = true;
    }
    for (const RankFigure& figure : section.ranks) text += ranks_text(figure);
  }
  if (compared) {
    text +=
        "\nBrackets: 95 % bootstrap intervals (BCa). p: Wilcoxon's signed-rank test, two-sided; "
        "Holm's correction over the pairs of a problem. Bold: less regret at the 5 % level after "
        "the correction.\n";
  }
  if (!report.theory.empty()) text += theory_table(report);
  if (!report.differences.empty()) text += "\n## Why our numbers differ from the paper's\n";
  for (const Difference& difference : report.differences) {
    text += fmt::format("\n**{}.** {}\n", markdown_text(difference.title),
                        markdown_text(difference.text));
  }
  return text;
}

}  // namespace sau
