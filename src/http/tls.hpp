#pragma once

#include <boost/asio/ssl/context.hpp>
#include <optional>

#include "sau/http/http_server.hpp"

namespace sau::detail {

// What TLS needs, from the files that the options name; none when they name none. Throws Error with
// the file that cannot be used.
std::optional<boost::asio::ssl::context> tls_of(const HttpServerOptions& options);

}  // namespace sau::detail
