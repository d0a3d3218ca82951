#include "report/escape.hpp"

#include <fmt/format.h>

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

namespace {

constexpr std::size_t kLongestLine = 24;  // characters of a name that fit on one line

// In the fonts of formulas, which are vector fonts in every document. \textdagger is a bitmap in
// documents without a package for it.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {"±", "\\pm"},    {"×", "\\times"},  {"†", "\\dagger"}, {"‡", "\\ddagger"}, {"α", "\\alpha"},
    {"β", "\\beta"},  {"γ", "\\gamma"},  {"δ", "\\delta"},  {"ε", "\\epsilon"}, {"ζ", "\\zeta"},
    {"η", "\\eta"},   {"θ", "\\theta"},  {"ι", "\\iota"},   {"κ", "\\kappa"},   {"λ", "\\lambda"},
    {"μ", "\\mu"},    {"µ", "\\mu"},     {"ν", "\\nu"},     {"ξ", "\\xi"},      {"π", "\\pi"},
    {"ρ", "\\rho"},   {"σ", "\\sigma"},  {"τ", "\\tau"},    {"υ", "\\upsilon"}, {"φ", "\\varphi"},
    {"χ", "\\chi"},   {"ψ", "\\psi"},    {"ω", "\\omega"},  {"Γ", "\\Gamma"},   {"Δ", "\\Delta"},
    {"Θ", "\\Theta"}, {"Λ", "\\Lambda"}, {"Σ", "\\Sigma"},  {"Φ", "\\Phi"},     {"Ψ", "\\Psi"},
    {"Ω", "\\Omega"}, {"∞", "\\infty"},  {"≤", "\\le"},     {"≥", "\\ge"},      {"−", "-"},
    {"²", "^2"},      {"³", "^3"},       {"√", "\\surd"},
};

// One character beyond ASCII. What pdflatex does not know is shown by its number, because it would
// refuse the whole document.
std::string latex_sign(std::string_view sign) {
  for (const auto& [known, command] : kSigns) {
    if (sign == known) return "$" + std::string(command) + "$";
  }
  // UTF-8: the first byte has 5, 4 or 3 bits of the number, each of the others 6.
  const auto bits = [](char c, unsigned mask) { return static_cast<unsigned char>(c) & mask; };
  unsigned number = bits(sign[0], sign.size() == 2 ? 0x1FU : sign.size() == 3 ? 0x0FU : 0x07U);
  for (const char c : sign.substr(1)) number = number << 6U | bits(c, 0x3FU);
  constexpr std::string_view kPunctuation = "–—‘’“”…•";
  const bool latin = number >= 0xA1 && number <= 0x17F;
  if (latin || kPunctuation.find(sign) != std::string_view::npos) return std::string(sign);
  return fmt::format("U+{:04X}", number);
}

std::string latex_character(std::string_view character) {
  if (character.size() > 1) return latex_sign(character);
  if (static_cast<unsigned char>(character[0]) >= 0x80U) return "?";  // no UTF-8
  if (character == "\\") return "\\textbackslash{}";
  if (character == "^") return "\\textasciicircum{}";
  if (character == "~") return "\\textasciitilde{}";
  return backslashed(character, "{}_%&#$");
}

// Long names may be broken into lines after these. Not after '=', so that a setting keeps its
// value.
bool may_break_after(char c) {
  return std::string_view("(,+_/-|").find(c) != std::string_view::npos;
}

std::string latex_escaped(std::string_view text, bool breakable) {
  std::string escaped;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    escaped += latex_character(text.substr(start, end - start));
    if (breakable && may_break_after(text[start]) && end < text.size()) escaped += "\\allowbreak{}";
    start = end;
  }
  return escaped;
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    escaped += latex_escaped(text.substr(0, blank), blank > kLongestLine);
    if (blank < text.size()) escaped += ' ';
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return escaped;
}

std::string latex_name(std::string_view name) {
  return latex_escaped(name, name.size() > kLongestLine);
}

std::string latex_column(std::span<const std::string> names) {
  const bool wide = std::ranges::any_of(
      names, [](const std::string& name) { return name.size() > kLongestLine; });
  return wide ? ">{\\raggedright\\arraybackslash}p{3.6cm}" : "l";
}

std::string latex_heading(std::string_view name) {
  const std::vector<std::string> one = {std::string(name)};
  if (latex_column(one) == "l") return latex_text(name);
  return R"(\multicolumn{1}{>{\raggedleft\arraybackslash}p{2.6cm}}{)" + latex_name(name) + "}";
}

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(double value) { return std::isfinite(value) ? format_number(value) : ""; }

}  // namespace sau::detail
