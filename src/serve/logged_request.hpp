#pragma once

#include <string_view>

#include "sau/serve/rank_request.hpp"

namespace sau::detail {

// Reads a request that was accepted before, without its fingerprint. The memory of `into` is used
// again. Thread-safe.
Status read_logged_request(std::string_view body, RankRequest& into);

}  // namespace sau::detail
