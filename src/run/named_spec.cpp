#include "sau/run/named_spec.hpp"

#include <algorithm>

#include "sau/core/error.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

constexpr std::size_t kLongestName = 80;

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return start == std::string_view::npos ? "" : text.substr(start, end - start + 1);
}

void check_name(std::string_view name, std::string_view text) {
  const bool plain = is_utf8(name) && std::ranges::none_of(name, [](char c) {
                       return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
                     });
  if (!name.empty() && name.size() <= kLongestName && plain) return;
  std::string shown(text.substr(0, kLongestName));
  for (char& c : shown) c = c < ' ' || c > '~' ? '?' : c;
  throw UsageError("cannot read '" + shown + "': expected a name of 1 to " +
                   std::to_string(kLongestName) + " characters before '=', such as mine=sau_ucb");
}

// The settings that have alternatives, as they are written: "alpha=0.1|1,lambda=1|2".
std::string swept_settings(std::string_view spec) {
  std::string swept;
  bool quoted = false;
  std::size_t key = 0, equals = std::string_view::npos;
  bool bar = false;
  for (std::size_t i = 0; i <= spec.size(); ++i) {
    const char c = i < spec.size() ? spec[i] : ')';
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '=') {
      equals = i;
    } else if (c == '|') {
      bar = equals != std::string_view::npos;
    } else if (c == '(' || c == ',' || c == ')') {
      // `file` is the setting in which | joins files.
      const std::string_view setting = trimmed(spec.substr(std::min(key, i), i - std::min(key, i)));
      if (bar && !setting.starts_with("file=")) {
        swept += (swept.empty() ? "" : ",") + std::string(setting);
      }
      key = i + 1;
      equals = std::string_view::npos;
      bar = false;
    }
  }
  return swept;
}

}  // namespace

NamedSpec read_named_spec(std::string_view text) {
  const std::size_t equals = text.find('='), open = text.find_first_of("(\"");
  if (equals == std::string_view::npos || open < equals) return {"", std::string(text)};
  const std::string_view name = trimmed(text.substr(0, equals));
  check_name(name, text);
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
  const std::vector<std::string> specs = expand_sweep(given.spec);
  std::vector<std::string> names(specs.size());
  if (!given.name.empty()) {
    names.assign(1, given.name);
    // The same combinations in the same order.
    if (specs.size() > 1) names = expand_sweep(given.name + "(" + swept_settings(given.spec) + ")");
  }
  std::vector<NamedSpec> all;
  for (std::size_t i = 0; i < specs.size(); ++i) all.push_back({names[i], specs[i]});
  return all;
}

}  // namespace sau
