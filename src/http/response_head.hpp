#pragma once

#include <string>
#include <string_view>

#include "sau/http/http_message.hpp"

namespace sau::detail {

// What a response says of the connection it goes through.
enum class Persistence { kDefault, kClose, kKeepAlive };

// Whether an answer of this status has a body (RFC 9110, section 6.4.1).
bool has_body(int status) noexcept;

// Adds the status line and the headers, with the empty line after them. Throws Error, and adds
// nothing, for a header that would end early: one with a line break in it.
void append_head(std::string& to, const HttpResponse& response, Persistence persistence,
                 std::string_view date);

}  // namespace sau::detail
