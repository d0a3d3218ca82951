#pragma once

#include <string>
#include <string_view>

#include "core/json_text.hpp"

namespace sau::detail {

// "a%20b" as it was meant; nothing when it is malformed.
bool percent_decoded(std::string_view text, std::string& out);

}  // namespace sau::detail
