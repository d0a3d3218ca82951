#include "report/paper_order.hpp"

#include <algorithm>

#include "sau/core/text.hpp"
#include "sau/report/paper_tables.hpp"

namespace sau::detail {

std::string family_of(const std::string& spec) { return spec.substr(0, spec.find('(')); }

std::size_t problem_rank(const std::string& name) {
  const auto& known = paper_problems();
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (name == known[i].name) return 2 * i;
    if (name.starts_with(known[i].name + "-")) return 2 * i + 1;
  }
  return 2 * known.size();
}

std::size_t algorithm_rank(const std::string& name) {
  const auto& known = paper_algorithms();
  if (name == kUniform) return known.size() + 1;
  return static_cast<std::size_t>(std::ranges::find(known, name) - known.begin());
}

bool says_synthetic(const std::string& text) {
  return lower_case(text).find("synthetic") != std::string::npos;
}

}  // namespace sau::detail
