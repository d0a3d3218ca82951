#pragma once

#include <string>
#include <string_view>

#include "sau/http/http_message.hpp"
#include "sau/serve/service.hpp"

namespace sau::detail {

HttpResponse json_response(int status, std::string body);

// {"error":{"code","message","target"}}, with the headers that the status needs, such as
// Retry-After for 503. Without a code it is the one that the status stands for.
HttpResponse error_response(int status, std::string_view message, std::string_view target = "",
                            std::string_view code = "");
// `invalid` is the code of a request that is wrong; it depends on the call.
HttpResponse failed(const Failure& failure, std::string_view invalid = "");

// The body of the answer to a rank request.
std::string rank_body(const RankAnswer& answer);

// The same for a request with several slots.
std::string slots_body(const SlotsAnswer& answer);

// {"name","arguments"}.
std::string policy_body(const Policy& policy);

// {"events","stillLearned"}.
std::string erased_body(const Erased& erased);

}  // namespace sau::detail
