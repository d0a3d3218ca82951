#pragma once

#include <boost/asio/ssl/context.hpp>
#include <optional>

#include "sau/http/http_server.hpp"

namespace sau::detail {

// The TLS context for the files that the options name; nothing if they name none. Throws an Error
// that names the file that cannot be used.
std::optional<boost::asio::ssl::context> tls_of(const HttpServerOptions& options);

}  // namespace sau::detail
