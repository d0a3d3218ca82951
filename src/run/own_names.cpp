#include "sau/run/own_names.hpp"

#include <algorithm>
#include <string>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

constexpr std::size_t kLongestName = 80;

bool is_plain_name(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(name, starts));
  return name.find_first_not_of(' ') != std::string_view::npos && characters <= kLongestName &&
         is_utf8(name) && std::ranges::none_of(name, is_control);
}

}  // namespace

void check_own_name(std::string_view name) {
  if (is_plain_name(name)) return;
  std::string shown(name.substr(0, kLongestName));
  for (char& c : shown) c = c < ' ' || c > '~' ? '?' : c;
  throw UsageError("'" + shown + "' cannot be a name: expected a name of 1 to " +
                   std::to_string(kLongestName) +
                   " characters, without control characters, such as mine=sau_ucb");
}

void refuse_duplicate_names(std::span<const Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Cell &one = cells[j], &other = cells[i];
      const bool same_problem = one.problem_spec == other.problem_spec;
      if (one.problem == other.problem && !same_problem) {
        throw UsageError("two problems are called '" + one.problem + "': " + one.problem_spec +
                         " and " + other.problem_spec);
      }
      if (same_problem && one.agent == other.agent && one.agent_spec != other.agent_spec) {
        throw UsageError("two agents are called '" + one.agent + "': " + one.agent_spec + " and " +
                         other.agent_spec);
      }
    }
  }
}

}  // namespace sau
