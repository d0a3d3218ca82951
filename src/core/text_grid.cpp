#include "core/text_grid.hpp"

#include <algorithm>

namespace sau::detail {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string align(const std::vector<TextRow>& rows, std::size_t words, std::size_t gap) {
  std::vector<std::size_t> width(rows.front().size());
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], width_of(row[i]));
  }
  std::string text;
  for (const TextRow& row : rows) {
    std::size_t before = 2;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (width[i] == 0) continue;
      const std::string space(width[i] - width_of(row[i]), ' ');
      text += std::string(before, ' ') + (i < words ? row[i] + space : space + row[i]);
      before = gap;
    }
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines, line;
  const auto flush = [&] {
    if (!line.empty()) lines += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!line.empty() && indent + width_of(line) + 1 + width_of(word) > width) flush();
    line += (line.empty() ? "" : " ") + word;
    start = end + 1;
  }
  flush();
  return lines;
}

}  // namespace sau::detail
