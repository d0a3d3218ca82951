#pragma once

#include <ctime>
#include <string>

#include "sau/http/http_message.hpp"

namespace sau::detail {

// What a response says of the connection it goes through.
enum class Persistence { kDefault, kClose, kKeepAlive };

// Whether an answer of this status has a body (RFC 9110, section 6.4.1).
bool has_body(int status) noexcept;

// The status line and the headers, with the empty line after them. Throws Error for a header that
// would end early: one with a line break in it.
std::string response_head(const HttpResponse& response, Persistence persistence, std::time_t now);

}  // namespace sau::detail
