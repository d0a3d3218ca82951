#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/type_list.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/explore/strategy.hpp"

// What the names of agents and those of problems have in common.
namespace sau::detail {

inline void add_alias_names(std::vector<std::string>& known, std::span<const Alias> aliases) {
  for (const Alias& alias : aliases) {
    const std::string name = lower_case(alias.name);
    if (std::ranges::find(known, name) == known.end()) known.push_back(name);
  }
}

// Refuses settings after an alias, which stands for a whole spec.
inline void refuse_settings(const Spec& spec, const std::string& expanded) {
  if (expanded == spec.name) return;
  throw UsageError("'" + spec.name + "' is a name for " + expanded +
                   " and takes no settings; write that instead");
}

template <class... T>
bool has_name(TypeList<T...>, std::string_view name) {
  return ((T::kName == name) || ...);
}

template <class... T>
std::vector<ComponentInfo> describe(TypeList<T...>) {
  return {ComponentInfo{.name = std::string(T::kName),
                        .summary = std::string(T::kSummary),
                        .settings = describe_options<typename T::Options>(),
                        .fits = {}}...};
}

}  // namespace sau::detail
