#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sau::detail {

// Appends a JSON string, quotes included. Invalid UTF-8 becomes the replacement character.
void append_json(std::string& out, std::string_view text);

// Appends the shortest number that reads back as the same double. It has a point or an exponent, so
// that readers take it for a floating point number: 0.0, 1e-05, 1e+15. NaN and infinities, which
// JSON does not have, become null.
void append_json(std::string& out, double number);

void append_json(std::string& out, std::uint64_t number);

}  // namespace sau::detail
