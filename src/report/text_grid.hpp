#pragma once

#include <string>
#include <vector>

namespace sau::detail {

// Terminal columns, not bytes: every character here that takes more bytes takes one column.
std::size_t width_of(const std::string& text);

using TextRow = std::vector<std::string>;

// Columns as wide as their widest entry, `gap` apart; the first `words` to the left, numbers to the
// right; columns without any text are left out. At least one row, all of the same length.
std::string align(const std::vector<TextRow>& rows, std::size_t words, std::size_t gap);

// The text in lines of at most `width` columns, broken at spaces, each begun by `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

}  // namespace sau::detail
