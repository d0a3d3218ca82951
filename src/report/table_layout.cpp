#include "report/table_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sau::detail {
namespace {

constexpr int kMostDecimals = 6;

// Normalised: two decimals, as in the paper. Times: three digits, as they are never more exact.
// Regrets: two digits of the error, or without an error four digits of the regret.
int decimals_for(TableKind kind, double mean, double error) {
  if (kind == TableKind::kNormalised) return 2;
  if (kind == TableKind::kTime) return decimals_of(mean, 3);
  return error > 0.0 ? decimals_of(error, 2) : decimals_of(mean, 4);
}

Entry entry_of(TableKind kind, double mean, const std::optional<double>& sem, int most) {
  const int decimals = std::min(decimals_for(kind, mean, sem.value_or(0.0)), most);
  return {.value = fmt::format("{:.{}f}", mean, decimals),
          .error = sem ? fmt::format("{:.{}f}", *sem, decimals) : "",
          .standing = Standing::kOther};
}

Entry here_of(TableKind kind, const TableCell& cell) {
  if (cell.trials == 0) return {};
  Entry entry = entry_of(kind, cell.mean, cell.sem, kMostDecimals);
  entry.standing = cell.standing;
  if (kind == TableKind::kTime) return entry;
  if (cell.stuck > 0.0) entry.stuck = fmt::format("{:.0f} %", std::ceil(100.0 * cell.stuck));
  entry.two_groups = cell.groups.has_value();
  return entry;
}

Entry paper_of(TableKind kind, const TableCell& cell) {
  if (!cell.paper) return {};
  const int printed = kind == TableKind::kNormalised ? 2 : 1;
  const auto error = cell.paper->has_error() ? std::optional(cell.paper->sem) : std::nullopt;
  return entry_of(kind, cell.paper->mean, error, printed);
}

Entry z_of(TableKind /*kind*/, const TableCell& cell) {
  if (!cell.z) return {};
  return {.value = fmt::format("{:+.1f}", *cell.z), .error = "", .standing = Standing::kOther};
}

using Show = Entry (*)(TableKind, const TableCell&);

Line line_of(const Table& table, std::size_t row, std::string name, const char* source, Show show) {
  Line line{.algorithm = std::move(name), .source = source, .entries = {}};
  for (std::size_t c = 0; c < table.problems.size(); ++c) {
    line.entries.push_back(show(table.kind, table.cell(row, c)));
  }
  return line;
}

bool is_empty(const Line& line) {
  return std::ranges::all_of(line.entries, [](const Entry& entry) { return entry.value.empty(); });
}

}  // namespace

int decimals_of(double number, int figures) {
  if (!(std::abs(number) > 0.0)) return 1;
  const int place = static_cast<int>(std::floor(std::log10(std::abs(number))));
  return std::clamp(figures - 1 - place, 0, kMostDecimals);
}

std::vector<Line> lay_out(const Table& table) {
  const bool paper = has_paper({&table, 1});
  std::vector<Line> lines;
  for (std::size_t r = 0; r < table.algorithms.size(); ++r) {
    lines.push_back(line_of(table, r, table.algorithms[r], paper ? "here" : "", here_of));
    for (const auto& [source, show] : {std::pair{"paper", Show{paper_of}}, {"z", Show{z_of}}}) {
      Line line = line_of(table, r, "", source, show);
      if (!is_empty(line)) lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string marks(const Entry& entry) {
  std::string text;
  if (!entry.stuck.empty()) text += "†" + entry.stuck;
  if (entry.two_groups) text += "‡";
  return text.empty() ? text : " " + text;
}

std::string legend(const Table& table, std::string_view best, std::string_view near) {
  const auto any = [&](auto&& has) { return std::ranges::any_of(table.cells, has); };
  std::string text;
  if (any([](const TableCell& cell) { return cell.standing == Standing::kBest; })) {
    text = fmt::format("{}: lowest mean of the problem.", best);
  }
  if (any([](const TableCell& cell) { return cell.standing == Standing::kNear; })) {
    text += fmt::format(" {}: at most two combined standard errors above it.", near);
  }
  const auto add = [&text](std::string_view sentence) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", sentence);
  };
  if (table.kind != TableKind::kTime) {
    if (any([](const TableCell& cell) { return cell.sem.has_value(); })) {
      add("Behind ±: the standard error of the mean.");
    }
    if (any([](const TableCell& cell) { return cell.stuck > 0.0; })) {
      add("† and a share: so many trials were stuck (rounded up), so the mean is not marked.");
    }
    if (any([](const TableCell& cell) { return cell.groups.has_value(); })) {
      add("‡: two groups of trials far apart (Ashman's D above 6), so the mean describes neither.");
    }
  }
  if (any([](const TableCell& cell) { return cell.z.has_value(); })) {
    text +=
        fmt::format("{}z: (here - paper) in combined standard errors.", text.empty() ? "" : " ");
  }
  return text;
}

}  // namespace sau::detail
