#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sau {

// A problem or an agent as people write it: a spec, or `name=spec` to give it a name for display.
struct NamedSpec {
  std::string name;  // empty: none was given
  std::string spec;
};

// Throws UsageError for a name that is empty, longer than 80 characters, or not plain text.
NamedSpec read_named_spec(std::string_view text);

// Every spec that the text stands for: a setting may have alternatives, joined by |
// (core/spec.hpp). If there is a name, it gets the settings that differ: mine=sau_ucb(alpha=0.1|1)
// is mine(alpha=0.1)=sau_ucb(alpha=0.1) and mine(alpha=1)=sau_ucb(alpha=1).
std::vector<NamedSpec> expand_named(const NamedSpec& given);
std::vector<NamedSpec> expand_named(std::string_view text);

}  // namespace sau
