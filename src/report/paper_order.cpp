#include "report/paper_order.hpp"

#include <algorithm>
#include <cmath>

#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

constexpr double kByChance = 3.0;  // combined standard errors
constexpr const char* kUnexplained = "not-explained";

}  // namespace

std::string family_of(const std::string& spec) { return spec.substr(0, spec.find_first_of("(+")); }

bool says_synthetic(const std::string& text) {
  return lower_case(text).find("synthetic") != std::string::npos;
}

std::size_t problem_rank(const std::string& name, std::span<const Paper> all) {
  std::size_t rank = 0;
  for (const Paper& paper : all) {
    for (const PaperProblem& known : paper.problems) {
      if (known.steps == 0) continue;
      if (name == known.name) return rank;
      if (name.starts_with(known.name + "-") || name.starts_with(known.name + "+")) return rank + 1;
      rank += 2;
    }
  }
  return rank;
}

std::size_t algorithm_rank(const std::string& name, std::span<const Paper> all) {
  std::size_t rank = 0;
  for (const Paper& paper : all) {
    for (const std::string& known : paper.algorithms) {
      if (name == known && name != kUniform) return rank;
      ++rank;
    }
  }
  return name == kUniform ? rank + 1 : rank;
}

const Paper* paper_beside(std::string_view problem, std::uint64_t steps,
                          std::span<const Paper> all) {
  const auto found = std::ranges::find_if(all, [&](const Paper& paper) {
    const PaperProblem* known = paper.find_problem(problem);
    return known != nullptr && known->steps == steps;
  });
  return found == all.end() ? nullptr : &*found;
}

std::optional<Printed> printed(TableKind table, std::string_view problem, std::uint64_t steps,
                               std::string_view algorithm, std::span<const Paper> all) {
  for (const Paper& paper : all) {
    const PaperProblem* known = paper.find_problem(problem);
    if (known == nullptr || known->steps != steps) continue;
    if (const auto value = paper.value(table, problem, algorithm)) return Printed{&paper, *value};
  }
  return std::nullopt;
}

const Paper* paper_with(std::string_view problem, std::span<const Paper> all) {
  const auto found = std::ranges::find_if(
      all, [&](const Paper& paper) { return paper.find_problem(problem) != nullptr; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Difference> known_differences(std::span<const Paper> all) {
  std::vector<Difference> differences;
  for (const Paper& paper : all) {
    differences.insert(differences.end(), paper.differences.begin(), paper.differences.end());
  }
  differences.push_back(
      {kUnexplained, "Not explained",
       "This cell differs from the paper's by more than chance, and we do not know why."});
  return differences;
}

std::vector<std::string> differences_of(const Paper& paper, TableKind table,
                                        std::string_view problem, std::string_view algorithm,
                                        double z) {
  std::vector<std::string> ids;
  for (const Paper::KnownDifference& known : paper.differences) {
    if (std::ranges::any_of(known.cells, [&](const CellPattern& cells) {
          return cells.matches(table, problem, algorithm);
        })) {
      ids.push_back(known.id);
    }
  }
  if (std::abs(z) > kByChance && ids.empty()) ids.emplace_back(kUnexplained);
  return ids;
}

}  // namespace sau::detail
