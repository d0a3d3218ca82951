#include "sau/report/paper_tables.hpp"

#include <algorithm>
#include <charconv>

#include "report/embedded_paper.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

struct PaperEntry {
  TableKind kind = TableKind::kRegret;
  std::string_view problem, algorithm;
  PaperValue value;
};

using Fields = std::vector<std::string_view>;

Fields split(std::string_view text, char separator) {
  Fields fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    fields.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

// The rows of a file below its header.
std::vector<Fields> rows_of(std::string_view name) {
  std::vector<Fields> rows;
  for (const auto& file : detail::embedded_paper()) {
    if (file.name != name) continue;
    for (const std::string_view line : split(file.text, '\n')) rows.push_back(split(line, ','));
    rows.erase(rows.begin());
  }
  return rows;
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  [[maybe_unused]] const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  SAU_ASSERT(read.ec == std::errc{}, "src/report/paper holds something that is not a number");
  return value;
}

TableKind kind_of(std::string_view table) {
  if (table == "time") return TableKind::kTime;
  return table.ends_with("_norm") ? TableKind::kNormalised : TableKind::kRegret;
}

const std::vector<PaperEntry>& entries() {
  static const auto kEntries = [] {
    std::vector<PaperEntry> read;
    for (const Fields& row : rows_of("tables")) {
      read.push_back({.kind = kind_of(row.at(0)),
                      .problem = row.at(1),
                      .algorithm = row.at(2),
                      .value = {number<double>(row.at(3)), number<double>(row.at(4))}});
    }
    return read;
  }();
  return kEntries;
}

}  // namespace

std::string_view table_name(TableKind kind) noexcept {
  switch (kind) {
    case TableKind::kRegret:
      return "regret";
    case TableKind::kNormalised:
      return "normalised";
    case TableKind::kTime:
      return "time";
  }
  return "";
}

std::optional<PaperValue> paper_value(TableKind kind, std::string_view problem,
                                      std::string_view algorithm) {
  for (const PaperEntry& entry : entries()) {
    if (entry.kind == kind && entry.problem == problem && entry.algorithm == algorithm) {
      return entry.value;
    }
  }
  return std::nullopt;
}

const std::vector<std::string>& paper_algorithms() {
  static const auto kNames = [] {
    std::vector<std::string> names;
    for (const PaperEntry& entry : entries()) {
      if (std::ranges::find(names, entry.algorithm) == names.end()) {
        names.emplace_back(entry.algorithm);
      }
    }
    return names;
  }();
  return kNames;
}

const std::vector<PaperProblem>& paper_problems() {
  static const auto kProblems = [] {
    std::vector<PaperProblem> problems;
    for (const Fields& row : rows_of("problems")) {
      problems.push_back(
          {.name = std::string(row.at(0)), .steps = number<std::uint64_t>(row.at(1))});
    }
    return problems;
  }();
  return kProblems;
}

}  // namespace sau
