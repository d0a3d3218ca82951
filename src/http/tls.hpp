#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "sau/http/http_server.hpp"

namespace sau::detail {

// The TLS context for the files that the options name; null if they name none. Throws an Error that
// names the file that cannot be used.
std::shared_ptr<boost::asio::ssl::context> tls_of(const HttpServerOptions& options);

}  // namespace sau::detail
