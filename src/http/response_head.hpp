#pragma once

#include <string>
#include <string_view>

#include "sau/http/http_message.hpp"

namespace sau::detail {

// What a response says about its connection.
enum class Persistence { kDefault, kClose, kKeepAlive };

// Whether an answer of this status has a body (RFC 9110, section 6.4.1).
bool has_body(int status) noexcept;

// Appends the status line, the headers and the empty line after them. Throws Error, and appends
// nothing, if a header contains a line break.
void append_head(std::string& to, const HttpResponse& response, Persistence persistence,
                 std::string_view date);

}  // namespace sau::detail
