#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

namespace sau::detail {

// Features as dsjson has them, and as the service's requests have them.

// In dsjson a name that begins with `_` is not a feature: Vowpal Wabbit ignores most of them, and
// some have a meaning of their own. Nor does it take a namespace whose name begins with a byte
// outside ASCII. An export writes the first byte of such names as `%5F` (or what it is), and that
// of names that begin with `%` as `%25`. A line with such names has this field.
inline constexpr std::string_view kEscapedField = "_escaped";

// Appends a name as a JSON text. Returns whether it was escaped.
bool append_escaped_name(std::string& out, std::string_view name, bool is_namespace);
std::string unescaped_name(std::string_view name);

// Appends features of dsjson as the service's requests have them. Names that begin with `_` are
// left out, except `_text`, which becomes a list of its words. `escaped`: the line has the field
// above.
void append_features(std::string& out, simdjson::dom::element value, bool escaped);

// Whether a value is an array of objects.
bool is_list_of_objects(simdjson::dom::element value);

}  // namespace sau::detail
