#include "report/escape.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"±", "$\\pm$"}, {"†", "\\textdagger{}"}, {"‡", "\\textdaggerdbl{}"}};
  for (const auto& [sign, command] : kSigns) {
    for (std::size_t at = 0; (at = escaped.find(sign, at)) != std::string::npos;) {
      escaped.replace(at, sign.size(), command);
    }
  }
  return escaped;
}

namespace {

constexpr std::size_t kLongestLine = 24;  // characters of a name that fit on one line

}  // namespace

std::string latex_name(std::string_view name) {
  if (name.size() <= kLongestLine) return latex_text(name);
  std::string text;
  for (std::size_t start = 0; start < name.size();) {
    const std::size_t end = std::min(name.find_first_of("(,+=_/-|", start), name.size() - 1) + 1;
    text += latex_text(name.substr(start, end - start));
    if (end < name.size()) text += "\\allowbreak{}";
    start = end;
  }
  return text;
}

std::string latex_column(std::span<const std::string> names) {
  const bool wide = std::ranges::any_of(
      names, [](const std::string& name) { return name.size() > kLongestLine; });
  return wide ? ">{\\raggedright\\arraybackslash}p{3.6cm}" : "l";
}

std::string latex_heading(std::string_view name) {
  const std::vector<std::string> one = {std::string(name)};
  if (latex_column(one) == "l") return latex_text(name);
  return "\\multicolumn{1}{>{\\raggedleft\\arraybackslash}p{2.6cm}}{" + latex_name(name) + "}";
}

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(double value) { return std::isfinite(value) ? format_number(value) : ""; }

}  // namespace sau::detail
