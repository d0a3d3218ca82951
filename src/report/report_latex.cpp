#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/estimate_text.hpp"
#include "sau/report/report.hpp"

namespace sau {
namespace {

using detail::estimate_text;
using detail::latex_text;

// As a formula, so that negative numbers have minus signs, not hyphens.
std::string formula(std::string number) {
  if (number == "-") return "--";
  // Formulas ignore spaces.
  const std::size_t bracket = number.find(" [");
  if (bracket != std::string::npos) number.replace(bracket, 1, "\\ ");
  return "$" + number + "$";
}

// A table that may be longer than a page; `columns` as for tabular, `head` and rows without \\.
std::string long_table(const std::string& caption, std::string_view columns, std::string_view head,
                       const std::vector<std::string>& rows) {
  std::string text = fmt::format(
      "\n{{\\footnotesize\n\\begin{{longtable}}{{{}}}\n  \\caption{{{}}} \\\\\n  \\toprule\n  {} "
      "\\\\\n  \\midrule\n  \\endfirsthead\n  \\toprule\n  {} \\\\\n  \\midrule\n  \\endhead\n  "
      "\\bottomrule\n  \\endfoot\n",
      columns, caption, head, head);
  for (const std::string& row : rows) text += "  " + row + " \\\\\n";
  return text + "\\end{longtable}\n}\n";
}

std::string comparison_text(const ProblemFigure& figure) {
  const ProblemComparison& comparison = figure.comparison;
  std::vector<std::string> rows;
  for (const PairComparison& pair : comparison.pairs) {
    const auto winner = detail::winner_of(pair);
    const auto name = [&](std::size_t i, detail::Winner wins) {
      const std::string shown = detail::latex_name(comparison.algorithms[i]);
      return winner == wins ? "\\textbf{" + shown + "}" : shown;
    };
    rows.push_back(fmt::format(
        "{} & {} & {} & {} / {} / {} & {} & {} & {} & {}", name(pair.a, detail::Winner::kA),
        name(pair.b, detail::Winner::kB), pair.trials, pair.wins, pair.ties, pair.losses,
        formula(estimate_text(pair.mean)), formula(estimate_text(pair.median)),
        formula(detail::p_text(pair.p)), formula(detail::p_text(pair.p_holm))));
  }
  std::string caption = latex_text(figure.title) + ": differences in regret, trial by trial.";
  if (!figure.note.empty()) caption += " " + latex_text(figure.note);
  if (comparison.heavy_tails) caption += " Heavy tails: trust the medians.";
  if (!figure.costs.empty()) caption += " " + latex_text(figure.costs);
  const std::string names = detail::latex_column(comparison.algorithms);
  return long_table(caption, names + names + "rrrrrr",
                    "$a$ & $b$ & trials & $a$ wins / ties / loses & mean of $a - b$ & median of $a "
                    "- b$ & $p$ & $p$ (Holm)",
                    rows);
}

std::string ranks_text(const RankFigure& figure) {
  std::string head = "algorithm & mean rank";
  for (std::size_t i = 0; i < figure.ranks.problems.size(); ++i) {
    head += fmt::format(" & {}", i + 1);
  }
  std::string caption = latex_text(figure.title) + ". Problems:";
  for (std::size_t i = 0; i < figure.ranks.problems.size(); ++i) {
    caption +=
        fmt::format("{} {} {}", i == 0 ? "" : ",", i + 1, latex_text(figure.ranks.problems[i]));
  }
  std::vector<std::string> rows, names;
  for (const MeanRank& mean : figure.ranks.algorithms) {
    std::string row = fmt::format("{} & {}", detail::latex_name(mean.algorithm),
                                  formula(estimate_text(mean.rank)));
    names.push_back(mean.algorithm);
    for (const double rank : mean.ranks) row += fmt::format(" & {}", rank);
    rows.push_back(std::move(row));
  }
  return long_table(
      caption + ".",
      detail::latex_column(names) + "r" + std::string(figure.ranks.problems.size(), 'r'), head,
      rows);
}

std::string theory_text_of(const Report& report) {
  std::vector<std::string> rows;
  for (const TheoryCheck& check : report.theory) {
    const std::string relation =
        check.relation == Relation::kEquals ? "" : std::string(relation_name(check.relation)) + " ";
    rows.push_back(fmt::format("{} & {} & ${:.6g}$ & {}${:.6g} \\pm {:.3g}$ & {}",
                               latex_text(check.id), latex_text(check.where), check.value, relation,
                               check.expected, check.tolerance, verdict_name(check.verdict)));
  }
  return "\n\\section{Theory}\n" + long_table("Checks of the paper's statements.", "llrrl",
                                              "check & where & computed & expected & verdict",
                                              rows);
}

std::string notes_text(const Report& report) {
  std::string text = "\n\\begin{itemize}\n";
  for (const ReportRun& run : report.runs) {
    text += fmt::format("  \\item Results: {}, sau {}, seed {}, {} of {} trials{}.\n",
                        latex_text(run.folder), latex_text(run.version), run.seed, run.trials,
                        run.asked, run.machine.empty() ? "" : ", " + latex_text(run.machine));
  }
  for (const std::string& note : report.notes) text += "  \\item " + latex_text(note) + "\n";
  return text + "\\end{itemize}\n";
}

}  // namespace

std::string report_latex(const Report& report) {
  std::string text = fmt::format(
      "% Made by sau {}. Compile with pdflatex.\n"
      "\\documentclass[a4paper]{{article}}\n\\usepackage[T1]{{fontenc}}\n"
      "\\usepackage{{lmodern,textcomp}}  % vector fonts\n"
      "\\usepackage[utf8]{{inputenc}}\n\\usepackage[landscape,margin=1.5cm]{{geometry}}\n"
      "\\usepackage{{array,booktabs,longtable}}\n\\title{{{}}}\n\\author{{}}\n\\date{{}}\n"
      "\\begin{{document}}\n\\maketitle\n",
      report.version, latex_text(report.title));
  text += notes_text(report);
  for (const ReportSection& section : report.sections) {
    text += fmt::format("\n\\section{{{}}}\n", latex_text(section.title));
    if (!section.text.empty()) text += latex_text(section.text) + "\n";
    if (!section.tables.empty()) text += table_latex(section.tables);
    text += "\\clearpage\n";
    for (const ProblemFigure& figure : section.problems) {
      if (!figure.comparison.pairs.empty()) text += comparison_text(figure);
    }
    for (const RankFigure& figure : section.ranks) text += ranks_text(figure);
  }
  text +=
      "\nBrackets are 95\\,\\% bootstrap intervals (BCa; percentile for mean ranks); $p$ is from "
      "Wilcoxon's signed-rank "
      "test, two-sided; Holm's correction is over the pairs of a problem. Bold: less regret at the "
      "5\\,\\% level after the correction.\n";
  if (!report.theory.empty()) text += theory_text_of(report);
  if (!report.differences.empty()) {
    text += "\n\\section{Why our numbers differ from the paper's}\n";
  }
  for (const Difference& difference : report.differences) {
    text += fmt::format("\n\\paragraph{{{}.}} {}\n", latex_text(difference.title),
                        latex_text(difference.text));
  }
  return text + "\\end{document}\n";
}

}  // namespace sau
