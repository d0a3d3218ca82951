#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sau {

// The shortest text that reads back to the same number: 0.1, 1e-05, 100000.
std::string format_number(double value);

// "unknown agent 'sau_ucp'; did you mean 'sau_ucb'? known: greedy, sau_ucb, ..."
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known);

// A file name from a display name: letters, digits, '.', '_' and '-'; anything else becomes '-'.
std::string slug(std::string_view name);

std::string lower_case(std::string_view text);

// The text without the blanks, tabs and line ends around it: a part of the same text, also if
// nothing is left.
std::string_view trimmed(std::string_view text) noexcept;

// Whether the text is valid UTF-8 (Unicode standard, table 3-7).
bool is_utf8(std::string_view text) noexcept;

// The scope of a random stream: a fixed hash of the canonical specs that the stream belongs to.
std::uint64_t scope_of(std::string_view canonical) noexcept;

}  // namespace sau
