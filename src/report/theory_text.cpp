#include "sau/report/theory_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sau/core/text.hpp"

namespace sau {
namespace {

constexpr std::size_t kTextWidth = 98;
constexpr std::size_t kIndent = 13;

std::string csv_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

// A label and a text broken at spaces, with later lines indented under the first.
std::string entry(std::string_view label, std::string_view text) {
  std::string out = fmt::format("  {:<{}}", label, kIndent - 2);
  std::size_t column = kIndent;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    if (column > kIndent && column + 1 + end - start > kTextWidth) {
      out += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (column > kIndent) {
      out += ' ';
      ++column;
    }
    out += text.substr(start, end - start);
    column += end - start;
    start = end + 1;
  }
  return out + "\n";
}

std::string expected_text(const TheoryCheck& check) {
  const std::string sign = check.relation == Relation::kEquals ? "" : " ";
  return fmt::format("{}{}{:.6g}, tolerance {:.3g}: {}",
                     check.relation == Relation::kEquals ? "" : relation_name(check.relation), sign,
                     check.expected, check.tolerance, check.reason);
}

}  // namespace

std::string theory_json(std::span<const TheoryCheck> checks) {
  auto list = nlohmann::ordered_json::array();
  for (const TheoryCheck& check : checks) {
    list.push_back({{"id", check.id},
                    {"where", check.where},
                    {"statement", check.statement},
                    {"statistic", check.statistic},
                    {"value", check.value},
                    {"relation", relation_name(check.relation)},
                    {"expected", check.expected},
                    {"tolerance", check.tolerance},
                    {"reason", check.reason},
                    {"verdict", verdict_name(check.verdict)},
                    {"note", check.note}});
  }
  return list.dump(2) + "\n";
}

std::string theory_csv(std::span<const TheoryCheck> checks) {
  std::string text =
      "id,where,statement,statistic,value,relation,expected,tolerance,reason,verdict,note\n";
  for (const TheoryCheck& check : checks) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_quoted(check.id),
                        csv_quoted(check.where), csv_quoted(check.statement),
                        csv_quoted(check.statistic), format_number(check.value),
                        relation_name(check.relation), format_number(check.expected),
                        format_number(check.tolerance), csv_quoted(check.reason),
                        csv_quoted(verdict_name(check.verdict)), csv_quoted(check.note));
  }
  return text;
}

std::string theory_text(std::span<const TheoryCheck> checks) {
  int count[3] = {0, 0, 0};
  for (const TheoryCheck& check : checks) ++count[static_cast<int>(check.verdict)];
  std::string text = fmt::format("Theory: {} checks: {} hold, {} hold when corrected, {} fail\n",
                                 checks.size(), count[static_cast<int>(Verdict::kHolds)],
                                 count[static_cast<int>(Verdict::kHoldsCorrected)],
                                 count[static_cast<int>(Verdict::kFails)]);
  for (const TheoryCheck& check : checks) {
    text += fmt::format("\n{:<26} {}\n", check.id, verdict_name(check.verdict));
    text += entry("where", check.where) + entry("statement", check.statement);
    text += entry("computed", fmt::format("{:.6g}: {}", check.value, check.statistic));
    text += entry("expected", expected_text(check));
    if (!check.note.empty()) text += entry("note", check.note);
  }
  return text;
}

}  // namespace sau
