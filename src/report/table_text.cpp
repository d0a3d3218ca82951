#include <fmt/format.h>

#include <algorithm>

#include "core/text_grid.hpp"
#include "report/table_layout.hpp"

namespace sau {
namespace {

using detail::Entry;
using detail::Line;

constexpr std::size_t kWidth = 110;  // columns of the terminal

// The mark has its own column, so that digits line up. A dash says that our result is missing; a
// missing number of the paper is left blank.
std::string show(const Line& line, const Entry& entry) {
  if (entry.value.empty()) return line.algorithm.empty() ? "" : "- ";
  const char* mark = entry.standing == Standing::kBest   ? "*"
                     : entry.standing == Standing::kNear ? "~"
                                                         : " ";
  return entry.value + (entry.error.empty() ? "" : " ± " + entry.error) + detail::marks(entry) +
         mark;
}

std::vector<detail::TextRow> rows_of(const Table& table, const std::vector<Line>& lines,
                                     std::size_t first, std::size_t last) {
  std::vector<detail::TextRow> rows = {{"algorithm", ""}};
  for (std::size_t c = first; c < last; ++c) rows[0].push_back(table.problems[c] + " ");
  for (const Line& line : lines) {
    detail::TextRow& row = rows.emplace_back();
    row = {line.algorithm, line.source};
    for (std::size_t c = first; c < last; ++c) row.push_back(show(line, line.entries[c]));
  }
  return rows;
}

bool fits(const std::vector<detail::TextRow>& rows) {
  const std::string text = detail::align(rows, 2, 2);
  std::size_t longest = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    longest = std::max(longest, detail::width_of(text.substr(start, end - start)));
    start = end + 1;
  }
  return longest <= kWidth;
}

// All columns in one block if they fit; else in as few blocks as possible, of similar widths.
std::string blocks_of(const Table& table) {
  const auto lines = detail::lay_out(table);
  const std::size_t columns = table.problems.size();
  for (std::size_t count = 1; count <= columns; ++count) {
    std::string text;
    bool all_fit = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto rows = rows_of(table, lines, columns * i / count, columns * (i + 1) / count);
      all_fit = all_fit && fits(rows);
      text += (i == 0 ? "" : "\n") + detail::align(rows, 2, 2);
    }
    if (all_fit || count == columns) return text;
  }
  return "";
}

}  // namespace

std::string table_text(std::span<const Table> tables) {
  std::string text;
  for (const Table& table : tables) {
    text += (text.empty() ? "" : "\n") + table.title + "\n" + blocks_of(table);
    text += detail::wrapped(detail::legend(table, "*", "~"), 2, kWidth);
    for (const std::string& note : table.notes) text += detail::wrapped(note, 2, kWidth);
  }
  return text;
}

}  // namespace sau
