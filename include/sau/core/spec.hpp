#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {

// A component and its settings as one string, the same on the command line, in files and in code:
//     spec  := name [ "(" [ key "=" value { "," key "=" value } ] ")" ]
//     value := plain text without , ( ) = " or blanks, or "quoted text" with \" and \\ inside
// A list is one value with its elements joined by x: hidden=100x100.
using Params = std::vector<std::pair<std::string, std::string>>;

struct Spec {
  std::string name;
  Params params;
};

Spec parse_spec(std::string_view text);

// Specs joined by `separator` outside quotes and parentheses: "linear(lambda=1)+sau_ucb".
std::vector<std::string> split_specs(std::string_view text, char separator);

// Every spec that a sweep stands for: a setting may have alternatives, joined by |, outside quotes.
// "sau_ucb(alpha=0.1|1)" is two specs, and two such settings make all combinations.
std::vector<std::string> expand_sweep(std::string_view text);

// The range of a setting. `open` excludes the ends.
struct Bounds {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open = false;
};

// A setting as the help, the lists and the documentation show it.
struct FieldInfo {
  std::string name;
  // number, integer, integer or all, integer or range, switch, text, list, or choice
  std::string type;
  std::string default_value;  // as it would be written in a spec
  std::string range;          // "at least 0", empty when anything goes
  std::vector<std::string> choices;
  std::string help;
};

// A count, or all: history=all, history=1000.
struct CountOrAll {
  std::uint64_t limit = 0;  // 0: all

  bool operator==(const CountOrAll&) const = default;
};

// A count, or a range with both ends included: delay=10, delay=10..200.
struct CountRange {
  std::uint64_t min = 0, max = 0;

  bool operator==(const CountRange&) const = default;
};

struct NoOptions {
  void fields(auto&&) {}
};

// An enumeration is a setting once its names are given, in the order of its values:
//     constexpr std::array<std::string_view, 2> enum_names(Colour) { return {"red", "blue"}; }
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enum_names(e)[0];
};

namespace detail {

std::string describe_bounds(const Bounds& bounds);

// Text to value; on failure a UsageError that names `owner`, `key`, the text and what is allowed.
void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, double& value);
void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, std::uint64_t& value);
void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, CountOrAll& value);
void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, CountRange& value);
void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, std::vector<double>& value);
void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, bool& value);
void read_value(std::string_view owner, std::string_view key, std::string_view text,
                const Bounds& bounds, std::string& value);
std::size_t read_choice(std::string_view owner, std::string_view key, std::string_view text,
                        std::span<const std::string> choices);

template <NamedEnum E>
std::vector<std::string> choices_of(E) {
  const auto names = enum_names(E{});
  return {names.begin(), names.end()};
}

template <NamedEnum E>
void read_value(std::string_view owner, std::string_view key, std::string_view text, const Bounds&,
                E& value) {
  value = static_cast<E>(read_choice(owner, key, text, choices_of(E{})));
}

std::string write_value(double value);
std::string write_value(std::uint64_t value);
std::string write_value(CountOrAll value);
std::string write_value(CountRange value);
std::string write_value(bool value);
std::string write_value(const std::string& value);
std::string write_value(const std::vector<double>& value);
template <NamedEnum E>
std::string write_value(E value) {
  return std::string(enum_names(value)[static_cast<std::size_t>(value)]);
}

template <class T>
std::string_view type_name() {
  if constexpr (NamedEnum<T>) return "choice";
  if constexpr (std::same_as<T, bool>) return "switch";
  if constexpr (std::same_as<T, double>) return "number";
  if constexpr (std::same_as<T, std::uint64_t>) return "integer";
  if constexpr (std::same_as<T, CountOrAll>) return "integer or all";
  if constexpr (std::same_as<T, CountRange>) return "integer or range";
  if constexpr (std::same_as<T, std::vector<double>>) return "list";
  return "text";
}

// Throws for a key that is not among `known`, or that is given twice.
void check_keys(std::string_view owner, const Params& params, std::span<const std::string> known);

}  // namespace detail

// Settings from text. A setting that is not given keeps its default. Options::check(), if there is
// one, then checks the combination. Options::kOtherNames, if there is one, lists further names of
// settings, each with the name that counts.
template <class Options>
// NOLINTNEXTLINE(performance-unnecessary-value-param): changed if there are other names
Options read_options(std::string_view owner, Params params) {
  Options options;
  if constexpr (requires { Options::kOtherNames; }) {
    for (const auto& [other, name] : Options::kOtherNames) {
      for (auto& [key, text] : params) {
        if (key == other) key = name;
      }
    }
  }
  std::vector<std::string> known;
  options.fields(
      [&](std::string_view key, auto&, std::string_view, Bounds = {}) { known.emplace_back(key); });
  detail::check_keys(owner, params, known);
  options.fields([&](std::string_view key, auto& value, std::string_view, Bounds bounds = {}) {
    for (const auto& [given, text] : params) {
      if (given == key) detail::read_value(owner, key, text, bounds, value);
    }
  });
  if constexpr (requires { options.check(); }) options.check();
  return options;
}

// The spec that reads back to the same settings. It lists only those that differ from their
// defaults, in the order of fields(): a setting added later changes no spec and no random stream.
template <class Options>
std::string write_spec(std::string_view name, Options options) {
  std::vector<std::string> defaults;
  Options{}.fields([&](std::string_view, auto& value, std::string_view, Bounds = {}) {
    defaults.push_back(detail::write_value(value));
  });
  std::string params;
  std::size_t i = 0;
  options.fields([&](std::string_view key, auto& value, std::string_view, Bounds = {}) {
    const std::string text = detail::write_value(value);
    if (text != defaults[i++]) {
      params += (params.empty() ? "" : ",") + std::string(key) + "=" + text;
    }
  });
  return params.empty() ? std::string(name) : std::string(name) + "(" + params + ")";
}

// Every setting with its value, defaults included.
template <class Options>
Params all_settings(Options options) {
  Params settings;
  options.fields([&](std::string_view key, auto& value, std::string_view, Bounds = {}) {
    settings.emplace_back(key, detail::write_value(value));
  });
  return settings;
}

template <class Options>
std::vector<FieldInfo> describe_options() {
  std::vector<FieldInfo> infos;
  Options{}.fields(
      [&]<class T>(std::string_view key, T& value, std::string_view help, Bounds bounds = {}) {
        FieldInfo info{.name = std::string(key),
                       .type = std::string(detail::type_name<T>()),
                       .default_value = detail::write_value(value),
                       .range = detail::describe_bounds(bounds),
                       .choices = {},
                       .help = std::string(help)};
        if constexpr (NamedEnum<T>) info.choices = detail::choices_of(T{});
        infos.push_back(std::move(info));
      });
  return infos;
}

}  // namespace sau
