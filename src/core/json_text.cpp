#include "core/json_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

// For text that came malformed, or was cut in the middle of a character.
std::string with_replacements(std::string_view text) {
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

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      } else {
        out += c;
      }
  }
}

constexpr std::size_t kNumberRoom = 32;  // a double takes 24 characters at most

}  // namespace

void append_json(std::string& out, std::string_view text) {
  if (!is_utf8(text)) return append_json(out, with_replacements(text));
  out += '"';
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  // Most texts need no escapes.
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, plain) - text.begin());
  out += text.substr(0, end);
  for (const char c : text.substr(end)) append_escaped(out, c);
  out += '"';
}

void append_json(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, kNumberRoom> room;
  char* end = nullptr;
  // fmt writes 1e+15 as an integer of 16 digits; from there on an exponent is easier to read.
  constexpr double kLargestPlain = 1e15;
  if (std::abs(number) >= kLargestPlain) {
    end =
        std::to_chars(room.data(), room.data() + room.size(), number, std::chars_format::scientific)
            .ptr;
  } else {
    end = fmt::format_to(room.data(), FMT_COMPILE("{}"), number);
    const std::string_view text(room.data(), static_cast<std::size_t>(end - room.data()));
    if (text.find_first_of(".e") == std::string_view::npos) {
      *end++ = '.';
      *end++ = '0';
    }
  }
  out.append(room.data(), end);
}

void append_json(std::string& out, std::uint64_t number) {
  std::array<char, kNumberRoom> room;
  out.append(room.data(), std::to_chars(room.data(), room.data() + room.size(), number).ptr);
}

}  // namespace sau::detail
