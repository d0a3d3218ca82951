#pragma once

#include <string>
#include <vector>

namespace sau::detail {

// Width in terminal columns: one per character, however many bytes it has.
std::size_t width_of(const std::string& text);

using TextRow = std::vector<std::string>;

// Columns as wide as their widest entry, `gap` apart. The first `words` columns are left-aligned,
// the others right-aligned. Columns without any text are left out. Needs at least one row; all rows
// must have the same length.
std::string align(const std::vector<TextRow>& rows, std::size_t words, std::size_t gap);

// Breaks the text at spaces into lines of at most `width` columns, each indented by `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

}  // namespace sau::detail
