#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sau {

// One of the specs that a sweep stands for. A setting may have alternatives, joined by | outside
// quotes: "sau_ucb(alpha=0.1|1)" is two specs, and two such settings make all combinations. In the
// setting `file`, | joins files.
struct Alternative {
  std::string spec;      // sau_ucb(alpha=0.1)
  std::string settings;  // those that have alternatives: alpha=0.1
};

// In the order in which they are written; the last setting changes fastest. expand_sweep()
// (core/spec.hpp) gives the specs alone. A text without alternatives is one spec with no settings.
// Throws UsageError if there are more than 10,000.
std::vector<Alternative> alternatives_of(std::string_view text);

// The text without the settings that have alternatives: "linear(lambda=1|2)+sau_ucb" is
// "linear+sau_ucb".
std::string without_alternatives(std::string_view text);

}  // namespace sau
