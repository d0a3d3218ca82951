#include "report/escape.hpp"

#include <cmath>

#include "sau/core/text.hpp"

namespace sau::detail {
namespace {

// `text` with a backslash before each of `special`.
std::string backslashed(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string markdown_text(std::string_view text) { return backslashed(text, "\\`*_[]<>|"); }

std::string latex_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\textbackslash{}";
    } else if (c == '^') {
      escaped += "\\textasciicircum{}";
    } else if (c == '~') {
      escaped += "\\textasciitilde{}";
    } else {
      escaped += backslashed({&c, 1}, "{}_%&#$");
    }
  }
  for (std::size_t at = 0; (at = escaped.find("±", at)) != std::string::npos;) {
    escaped.replace(at, std::string_view("±").size(), "$\\pm$");
  }
  return escaped;
}

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(double value) { return std::isfinite(value) ? format_number(value) : ""; }

}  // namespace sau::detail
