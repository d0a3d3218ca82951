#include "sau/report/paper.hpp"

#include <algorithm>

#include "report/embedded_papers.hpp"
#include "report/read_paper.hpp"

namespace sau {
namespace {

bool name_matches(std::string_view name, std::string_view pattern) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  return name == pattern;
}

bool any_matches(std::string_view name, const std::vector<std::string>& patterns) {
  return patterns.empty() ||
         std::ranges::any_of(patterns, [&](const auto& one) { return name_matches(name, one); });
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

bool CellPattern::matches(TableKind table, std::string_view problem,
                          std::string_view algorithm) const {
  const bool of_table = tables.empty() || std::ranges::find(tables, table) != tables.end();
  return of_table && any_matches(problem, problems) && any_matches(algorithm, algorithms);
}

const PaperProblem* Paper::find_problem(std::string_view problem) const noexcept {
  const auto found = std::ranges::find(problems, problem, &PaperProblem::name);
  return found == problems.end() || found->steps == 0 ? nullptr : &*found;
}

std::optional<PaperValue> Paper::value(TableKind table, std::string_view problem,
                                       std::string_view algorithm) const {
  for (const Number& number : numbers) {
    if (number.table == table && number.problem == problem && number.algorithm == algorithm) {
      return number.value;
    }
  }
  return std::nullopt;
}

const std::vector<Paper>& papers() {
  static const auto kPapers = [] {
    std::vector<Paper> read;
    const auto numbers = detail::embedded_paper_numbers();
    for (const auto& file : detail::embedded_papers()) {
      const auto csv = std::ranges::find(numbers, file.name, &detail::EmbeddedFile::name);
      read.push_back(detail::read_paper(file.name, file.text,
                                        csv == numbers.end() ? std::string_view() : csv->text));
    }
    return read;
  }();
  return kPapers;
}

}  // namespace sau
