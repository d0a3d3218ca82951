#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "data/delimited.hpp"

namespace sau::detail {

// What a column of classes is usually called, in any letter case.
inline constexpr std::array<std::string_view, 4> kUsualLabels = {"label", "class", "target", "y"};

// Whether the field is written as a number, finite or not.
bool is_number(std::string_view field);

// Whether the first record of a file has names. Reads some of the records below it to judge.
bool is_header(std::span<const std::string> first, DelimitedReader& rows);

}  // namespace sau::detail
