#pragma once

#include <simdjson.h>

#include <optional>
#include <string_view>

namespace sau::detail {

// The field of an object, if it is present and not null. If the name occurs twice, the first one.
inline std::optional<simdjson::dom::element> json_field(simdjson::dom::element object,
                                                        std::string_view name) {
  simdjson::dom::element found;
  if (object[name].get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
  return found;
}

// The field, if it is a text that is not empty.
inline std::string_view json_text_field(simdjson::dom::element object, std::string_view name) {
  std::string_view text;
  const auto found = json_field(object, name);
  if (!found || found->get(text) != simdjson::SUCCESS) return {};
  return text;
}

}  // namespace sau::detail
