#pragma once

#include <string>
#include <string_view>

namespace sau::detail {

// Appends a JSON string, quotes included. What is not UTF-8 in the text becomes the sign for that.
void append_json(std::string& out, std::string_view text);

// "a%20b" as it was meant; nothing when it is malformed.
bool percent_decoded(std::string_view text, std::string& out);

}  // namespace sau::detail
