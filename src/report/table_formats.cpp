#include <fmt/format.h>

#include <algorithm>

#include "report/escape.hpp"
#include "report/table_layout.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

using detail::csv_text;
using detail::Entry;
using detail::latex_text;
using detail::Line;
using detail::markdown_text;

std::string markdown(const Entry& entry) {
  if (entry.value.empty()) return "-";
  const std::string text = entry.value + (entry.error.empty() ? "" : " ± " + entry.error);
  if (entry.standing == Standing::kBest) return "**" + text + "**" + detail::marks(entry);
  return (entry.standing == Standing::kNear ? "*" + text + "*" : text) + detail::marks(entry);
}

// A formula needs its own commands for bold and italic.
std::string latex(const Entry& entry) {
  if (entry.value.empty()) return "--";
  const auto styled = [&](const std::string& number) {
    if (entry.standing == Standing::kBest) return "\\mathbf{" + number + "}";
    return entry.standing == Standing::kNear ? "\\mathit{" + number + "}" : number;
  };
  return "$" + styled(entry.value) + (entry.error.empty() ? "" : " \\pm " + styled(entry.error)) +
         "$" + latex_text(detail::marks(entry));
}

bool has_sources(const std::vector<Line>& lines) {
  return std::ranges::any_of(lines, [](const Line& line) { return !line.source.empty(); });
}

std::string csv(const std::optional<double>& number) {
  return number ? format_number(*number) : "";
}

std::string_view csv(Standing standing) {
  return standing == Standing::kBest ? "best" : standing == Standing::kNear ? "near" : "";
}

}  // namespace

std::string table_markdown(std::span<const Table> tables) {
  std::string text;
  for (const Table& table : tables) {
    text += fmt::format("{}### {}\n", text.empty() ? "" : "\n", markdown_text(table.title));
    const auto lines = detail::lay_out(table);
    const bool sources = has_sources(lines);
    if (!lines.empty()) {
      text += sources ? "\n| algorithm | |" : "\n| algorithm |";
      for (const std::string& problem : table.problems) text += " " + markdown_text(problem) + " |";
      text += sources ? "\n|---|---|" : "\n|---|";
      for (std::size_t i = 0; i < table.problems.size(); ++i) text += "---:|";
      text += "\n";
    }
    for (const Line& line : lines) {
      text += line.algorithm.empty() ? "| |" : "| " + markdown_text(line.algorithm) + " |";
      if (sources) text += " " + line.source + " |";
      for (const Entry& entry : line.entries) text += " " + markdown(entry) + " |";
      text += "\n";
    }
    const std::string legend = detail::legend(table, "Bold", "Italic");
    if (!legend.empty()) text += "\n" + legend + "\n";
    for (const std::string& note : table.notes) text += "\n" + markdown_text(note) + "\n";
  }
  return text;
}

std::string table_latex(std::span<const Table> tables) {
  std::string text = "% Needs \\usepackage{array,booktabs}.\n";
  for (const Table& table : tables) {
    const auto lines = detail::lay_out(table);
    std::string caption = latex_text(table.title) + ".";
    const std::string legend = detail::legend(table, "Bold", "Italic");
    if (!legend.empty()) caption += " " + latex_text(legend);
    for (const std::string& note : table.notes) caption += " " + latex_text(note);
    if (lines.empty()) {
      text += "\n% " + caption + "\n";
      continue;
    }
    const bool sources = has_sources(lines);
    text += fmt::format(
        "\n\\begin{{table}}[ht]\n  \\centering\n  \\caption{{{}}}\n  \\smallskip\\footnotesize\n"
        "  \\setlength{{\\tabcolsep}}{{3pt}}\n  \\begin{{tabular}}{{{}{}{}}}\n    \\toprule\n"
        "    Algorithm{}",
        caption, detail::latex_column(table.algorithms), sources ? "l" : "",
        std::string(table.problems.size(), 'r'), sources ? " &" : "");
    for (const std::string& problem : table.problems) {
      text += " & " + detail::latex_heading(problem);
    }
    text += " \\\\\n    \\midrule\n";
    for (const Line& line : lines) {
      text += "    " + detail::latex_name(line.algorithm);
      if (sources) text += " & " + (line.source == "z" ? "$z$" : line.source);
      for (const Entry& entry : line.entries) text += " & " + latex(entry);
      text += " \\\\\n";
    }
    text += "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
  }
  return text;
}

std::string table_csv(std::span<const Table> tables) {
  std::string text =
      "table,problem,algorithm,trials,mean,sem,paper_mean,paper_sem,z,best,failed,stuck,two_"
      "groups\n";
  for (const Table& table : tables) {
    for (std::size_t c = 0; c < table.problems.size(); ++c) {
      for (std::size_t r = 0; r < table.algorithms.size(); ++r) {
        const TableCell& cell = table.cell(r, c);
        if (cell.trials == 0 && cell.failed == 0 && !cell.paper) continue;
        const auto mean = cell.trials > 0 ? std::optional(cell.mean) : std::nullopt;
        const auto paper_mean = cell.paper ? std::optional(cell.paper->mean) : std::nullopt;
        const auto paper_sem =
            cell.paper && cell.paper->has_error() ? std::optional(cell.paper->sem) : std::nullopt;
        const auto stuck = cell.trials > 0 ? std::optional(cell.stuck) : std::nullopt;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:d}\n", table_name(table.kind),
                            csv_text(table.problems[c]), csv_text(table.algorithms[r]), cell.trials,
                            csv(mean), csv(cell.sem), csv(paper_mean), csv(paper_sem), csv(cell.z),
                            csv(cell.standing), cell.failed, csv(stuck), cell.groups.has_value());
      }
    }
  }
  return text;
}

std::span<const TableFormat> table_formats() {
  static constexpr TableFormat kFormats[] = {{"text", ".txt", table_text},
                                             {"markdown", ".md", table_markdown},
                                             {"csv", ".csv", table_csv},
                                             {"latex", ".tex", table_latex}};
  return kFormats;
}

}  // namespace sau
