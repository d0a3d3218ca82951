#include "store/dsjson_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/json_text.hpp"

namespace sau::detail {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::string_view kWords = "_text";
constexpr unsigned kNotAscii = 0x80;
constexpr std::size_t kCode = 3;  // the length of %5F

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
    const bool words = name == kWords && value.get(text) == simdjson::SUCCESS;
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

bool append_escaped_name(std::string& out, std::string_view name, bool is_namespace) {
  const auto byte = [name](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  // All bytes of a character: a part of one would not be valid UTF-8.
  std::size_t count = 0;
  if (!name.empty() && (name.front() == '_' || name.front() == '%')) {
    count = 1;
  } else if (is_namespace && !name.empty() && byte(0) >= kNotAscii) {
    while (count < name.size() && byte(count) >= kNotAscii) ++count;
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("%{:02X}", byte(i));
  append_json(out, text.append(name.substr(count)));
  return count > 0;
}

std::string unescaped_name(std::string_view name) {
  std::string text;
  while (name.size() >= kCode && name.front() == '%') {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + kCode, byte, 16);
    if (error != std::errc() || end != name.data() + kCode) break;
    text += static_cast<char>(byte);
    name.remove_prefix(kCode);
    if (byte < kNotAscii) break;  // only the first character is escaped
  }
  return text.append(name);
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
      const simdjson::dom::array items = value.get_array().value_unsafe();
      const char* before = "[";
      for (const element item : items) {
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
