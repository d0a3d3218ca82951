#pragma once

#include <string>
#include <string_view>

#include "sau/http/http_message.hpp"
#include "sau/serve/service.hpp"

namespace sau::detail {

HttpResponse json_response(int status, std::string body);

// {"error":{"code","message","target"}}, with the headers that the status needs, such as
// Retry-After for 503.
HttpResponse error_response(int status, std::string_view message, std::string_view target = "");
HttpResponse failed(const Failure& failure);

// The body of the answer to a rank request.
std::string rank_body(const RankAnswer& answer);

}  // namespace sau::detail
