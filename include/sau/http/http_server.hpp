#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"

namespace sau {

// Called by the server's threads, by several at the same time if there are several: it must be
// thread-safe. It should be quick, since its thread serves no other connection meanwhile. The reply
// may be called later and from another thread. An exception becomes an answer with status 500.
using HttpHandler = std::function<void(HttpRequest, HttpReply)>;

// A handler that answers before it returns.
HttpHandler answered_at_once(std::function<HttpResponse(const HttpRequest&)> answer);

// Counts of connections. One server or several write them, anybody may read them. Thread-safe.
struct HttpTally {
  std::atomic<std::size_t> open = 0;
  // Closed to make room, or refused, since the start:
  std::atomic<std::uint64_t> idle = 0;     // it had no request under way
  std::atomic<std::uint64_t> slow = 0;     // it was slow to send its request, or to take an answer
  std::atomic<std::uint64_t> address = 0;  // its address had too many
  std::atomic<std::uint64_t> full = 0;     // a new one, while all others were being answered
};

// How many connections above the limit may be open for a moment while others are closed.
constexpr std::size_t spare_connections(std::size_t connections) {
  return std::clamp<std::size_t>(connections / 8, 2, 16);
}

// The server's threads call the functions, several at the same time if there are several threads.
struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IP address, or "localhost"
  std::uint16_t port = 0;             // 0: any free port
  // A socket that listens already, instead of address and port. The server closes its own copy when
  // it stops. If another process has one, connections wait there and are not refused.
  int listener = -1;
  unsigned threads = 1;
  std::size_t header_limit = 16'384;   // bytes of the request line and the headers
  std::size_t body_limit = 1'048'576;  // bytes
  // The total bytes of bodies larger than `body_limit`, which on_head may allow. A request that
  // would exceed it gets 503.
  std::size_t large_bodies = std::size_t{512} << 20;
  // How many connections may be open at the same time. To make room for a new one, the server drops
  // a connection of the address that has most: the one idle longest, or else the one that has been
  // sending its request longest, or one that has not taken its answer within a twelfth of
  // `write_timeout`. While all connections are being answered, a new one gets 503.
  std::size_t connections = 1000;
  // How many connections one IPv4 address, or one IPv6 /64 network, may have. To make room for a
  // new one, another of the same address is dropped. 0: half of `connections`, and no limit for
  // loopback addresses, where one address may be a proxy for many people.
  std::size_t connections_per_address = 0;
  // Each of these may take up to a quarter longer.
  std::chrono::milliseconds request_timeout = std::chrono::seconds(15);  // to send one whole
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);     // between two requests
  std::chrono::milliseconds write_timeout = std::chrono::seconds(60);    // to take an answer
  std::chrono::milliseconds stop_timeout = std::chrono::seconds(5);  // for requests begun at stop()
  // PEM files, both or none: with them the server speaks only TLS, 1.3 or 1.2, with forward
  // secrecy. The certificate may be followed, in the same file, by those of its issuers.
  std::string certificate_file = {}, key_file = {};
  // Called after the headers have arrived and before the body is read. It may answer the request,
  // which then does not reach the handler, or change how large this body may be (initially
  // `body_limit` above).
  std::function<std::optional<HttpResponse>(const HttpRequest& head, std::size_t& body_limit)>
      on_head = {};
  // Makes the server's own answers, of status 400 and above; text_response() when empty.
  std::function<HttpResponse(int status, std::string_view line)> error_response = {};
  // Called when a handler throws, or never calls the reply: for which request ("GET /path"), and
  // why.
  std::function<void(std::string_view request, const char* what)> on_failure = {};
  std::shared_ptr<HttpTally> tally = {};  // where connections are counted; may outlive the server
};

// HTTP/1.1 over TCP or TLS, with keep-alive and pipelining. Neither a slow client nor a late answer
// blocks a thread. Bad requests never reach the handler: they are answered with 400, 408 (too
// slow), 413 (body too large), 417, 431 (headers too large), 501 (an unknown encoding), 503 (no
// room or no memory for it) or 505, and the connection is closed.
class HttpServer {
 public:
  // Starts listening. Throws Error when it cannot, or when a file cannot be used.
  HttpServer(HttpServerOptions options, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  std::uint16_t port() const noexcept;

  // Reads the files of the certificate and its key again, for connections that begin from now on;
  // the others continue as they are. Throws Error if a file cannot be used, and changes nothing
  // then. Thread-safe.
  void reload_certificate();

  // Accepts no more connections, closes the idle ones, answers the requests that have begun, and
  // returns when that is done. A connection that has not sent its first request yet gets two
  // seconds. Requests whose reply has not been called yet count as begun; it waits for them until
  // stop_timeout. Must not be called by the handler.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sau
