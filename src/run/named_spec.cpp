#include "sau/run/named_spec.hpp"

#include "sau/core/error.hpp"
#include "sau/core/sweep.hpp"
#include "sau/core/text.hpp"
#include "sau/run/own_names.hpp"

namespace sau {
NamedSpec read_named_spec(std::string_view text) {
  const std::size_t equals = text.find('='), open = text.find_first_of("(\"");
  if (equals == std::string_view::npos || open < equals) return {"", std::string(text)};
  const std::string_view name = trimmed(text.substr(0, equals));
  check_own_name(name);
  const std::string_view spec = trimmed(text.substr(equals + 1));
  if (spec.empty()) {
    throw UsageError("cannot read '" + std::string(text) +
                     "': expected a spec after '=', such as " + std::string(name) + "=sau_ucb");
  }
  return {std::string(name), std::string(spec)};
}

std::vector<NamedSpec> expand_named(std::string_view text) {
  return expand_named(read_named_spec(text));
}

std::vector<NamedSpec> expand_named(const NamedSpec& given) {
  std::vector<NamedSpec> all;
  for (Alternative& one : alternatives_of(given.spec)) {
    const bool settings = !given.name.empty() && !one.settings.empty();
    all.push_back({given.name + (settings ? "(" + one.settings + ")" : ""), std::move(one.spec)});
  }
  return all;
}

}  // namespace sau
