#include "api/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

// What was malformed when it came, or was cut in the middle of a character.
std::string with_signs(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  std::string good;
  while (!text.empty()) {
    std::size_t size = 1;
    while (size < kLongest && !is_utf8(text.substr(0, size))) ++size;
    if (is_utf8(text.substr(0, size))) {
      good += text.substr(0, size);
    } else {
      good += "\xEF\xBF\xBD";
      size = 1;
    }
    text.remove_prefix(std::min(size, text.size()));
  }
  return good;
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  if (!is_utf8(text)) return append_json(out, with_signs(text));
  out += '"';
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  // Most texts need nothing done to them.
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, plain) - text.begin());
  out += text.substr(0, end);
  for (const char c : text.substr(end)) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

bool percent_decoded(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned char byte = 0;
    if (text.size() - i < 3) return false;
    const char* const first = text.data() + i + 1;
    const auto [end, error] = std::from_chars(first, first + 2, byte, 16);
    if (error != std::errc() || end != first + 2) return false;
    out += static_cast<char>(byte);
    i += 2;
  }
  return true;
}

}  // namespace sau::detail
