#pragma once

#include <string>
#include <string_view>

#include "core/json_text.hpp"

namespace sau::detail {

// Decodes "a%20b" to "a b"; returns false when it is malformed.
bool percent_decoded(std::string_view text, std::string& out);

}  // namespace sau::detail
