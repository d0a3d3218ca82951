#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {

template <class... T>
struct TypeList {};

template <class... T>
std::vector<std::string> names(TypeList<T...>) {
  return {std::string(T::kName)...};
}

// Runs f.operator()<T>() for the T of the list called `name`.
template <class F, class First, class... Rest>
auto with_named(TypeList<First, Rest...> list, std::string_view kind, std::string_view name,
                F&& f) {
  using Result = decltype(f.template operator()<First>());
  Result result{};
  const auto call = [&]<class T>() {
    if (T::kName != name) return false;
    result = f.template operator()<T>();
    return true;
  };
  if (!(call.template operator()<First>() || ... || call.template operator()<Rest>())) {
    throw UsageError(unknown_name(kind, name, names(list)));
  }
  return result;
}

}  // namespace sau
