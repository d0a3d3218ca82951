#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "sau/core/spec.hpp"

namespace sau::cli {

// Turns a struct with fields() into the command's flags, with types, bounds, defaults and help. A
// std::vector<std::string> is a flag that may be repeated. The help calls a value N, NAME or PATH
// by its type, or as the field says.
template <class Flags>
std::shared_ptr<Flags> add_flags(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  const std::string owner = app.get_name();
  flags->fields([&]<class T>(std::string_view key, T& value, std::string_view help,
                             Bounds bounds = {}, std::string_view placeholder = {}) {
    std::string name = "--" + std::string(key);
    std::ranges::replace(name, '_', '-');
    const std::string text(help);
    if constexpr (std::is_same_v<T, bool>) {
      app.add_flag(name, value, text);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      app.add_option(name, value, text)->allow_extra_args(false)->type_name("NAME");
    } else {
      const bool shown =
          !std::is_same_v<T, std::string> || !detail::write_value(value).starts_with('"');
      const std::string fallback = shown ? " [" + detail::write_value(value) + "]" : "";
      // `flags` owns `value`; the command's handler keeps it alive.
      app.add_option_function<std::string>(
             name,
             [owner, name, bounds, &value](const std::string& given) {
               detail::read_value(owner, name, given, bounds, value);
             },
             text + fallback)
          ->type_name(!placeholder.empty()             ? std::string(placeholder)
                      : std::is_same_v<T, std::string> ? "PATH"
                      : NamedEnum<T>                   ? "NAME"
                                                       : "N");
    }
  });
  return flags;
}

}  // namespace sau::cli
