#include "store/dsjson_features.hpp"

#include <algorithm>
#include <utility>

#include "core/json_text.hpp"

namespace sau::detail {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::string_view kUnderscore = "%5F", kPercent = "%25", kText = "_text";

// The words of a text, as Vowpal Wabbit splits it.
void append_words(std::string& out, std::string_view text) {
  out += '[';
  const char* before = "";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (end > 0) {
      out += before;
      append_json(out, text.substr(0, end));
      before = ",";
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += ']';
}

void append_object(std::string& out, simdjson::dom::object object, bool escaped) {
  out += '{';
  const char* before = "";
  for (const auto [name, value] : object) {
    std::string_view text;
    const bool words = name == kText && value.get(text) == simdjson::SUCCESS;
    if (name.starts_with('_') && !words) continue;
    out += before;
    before = ",";
    append_json(out, escaped ? std::string_view(unescaped_name(name)) : name);
    out += ':';
    if (words) {
      append_words(out, text);
    } else {
      append_features(out, value, escaped);
    }
  }
  out += '}';
}

}  // namespace

void append_escaped_name(std::string& out, std::string_view name) {
  const char first = name.empty() ? ' ' : name.front();
  if (first != '_' && first != '%') return append_json(out, name);
  append_json(out, std::string(first == '_' ? kUnderscore : kPercent).append(name.substr(1)));
}

std::string unescaped_name(std::string_view name) {
  for (const auto& [code, sign] : {std::pair(kUnderscore, "_"), std::pair(kPercent, "%")}) {
    if (name.starts_with(code)) return sign + std::string(name.substr(code.size()));
  }
  return std::string(name);
}

void append_features(std::string& out, element value, bool escaped) {
  switch (value.type()) {
    case element_type::STRING:
      return append_json(out, value.get_string().value_unsafe());
    case element_type::BOOL:
      out += value.get_bool().value_unsafe() ? "true" : "false";
      return;
    case element_type::INT64:
    case element_type::UINT64:
      out += simdjson::minify(value);
      return;
    case element_type::DOUBLE:
      return append_json(out, value.get_double().value_unsafe());
    case element_type::OBJECT:
      return append_object(out, value.get_object().value_unsafe(), escaped);
    case element_type::ARRAY: {
      const char* before = "[";
      for (const element item : value.get_array().value_unsafe()) {
        out += before;
        append_features(out, item, escaped);
        before = ",";
      }
      out += *before == '[' ? "[]" : "]";
      return;
    }
    case element_type::NULL_VALUE:
      out += "null";
  }
}

bool is_list_of_objects(element value) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) return false;
  for (const element item : items) {
    if (!item.is_object()) return false;
  }
  return true;
}

}  // namespace sau::detail
