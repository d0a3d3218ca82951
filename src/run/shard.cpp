#include "sau/run/shard.hpp"

#include <charconv>
#include <optional>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/run/experiment.hpp"

namespace sau {
namespace {

constexpr std::uint64_t kMostShards = 1000000;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

TrialSlice Shard::slice(const Cell& cell) const {
  if (whole()) return {};
  const std::uint64_t hash =
      scope_of(cell.problem_spec + "\n" + cell.agent_spec + "\n" + std::to_string(cell.steps));
  return {.first = (number - 1 + of - hash % of) % of, .step = of};
}

Shard read_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto number = whole_number(text.substr(0, slash));
    const auto of = whole_number(text.substr(slash + 1));
    if (number && of && *number >= 1 && *number <= *of && *of <= kMostShards) {
      return {.number = *number, .of = *of};
    }
  }
  throw UsageError("--shard is '" + std::string(text) +
                   "', expected I/N with I from 1 to N and N up to " + std::to_string(kMostShards) +
                   ", such as 2/4");
}

}  // namespace sau
