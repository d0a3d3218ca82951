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

// Called by the server's threads, several at once where there are several: it must be safe to do
// so, and it should be quick, since a thread that is in it serves none of its other connections.
// The reply may be called later and elsewhere. What it throws becomes an answer of status 500.
using HttpHandler = std::function<void(HttpRequest, HttpReply)>;

// The handler that has its answer when it returns.
HttpHandler answered_at_once(std::function<HttpResponse(const HttpRequest&)> answer);

// What becomes of connections. The server writes it, anybody may read it. Thread-safe.
struct HttpTally {
  std::atomic<std::size_t> open = 0;
  // Closed to make room, or refused, since the start:
  std::atomic<std::uint64_t> idle = 0;     // nothing was being asked
  std::atomic<std::uint64_t> slow = 0;     // it was slow to send its request, or to take an answer
  std::atomic<std::uint64_t> address = 0;  // its address had as many as it may
  std::atomic<std::uint64_t> full = 0;     // a new one, while all others were being answered
};

// How many more than `connections` may be open for a moment, while others are being closed.
constexpr std::size_t spare_connections(std::size_t connections) {
  return std::clamp<std::size_t>(connections / 8, 2, 16);
}

// The functions are called by the server's threads, several at once where there are several.
struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IP address, or "localhost"
  std::uint16_t port = 0;             // 0: any that is free
  unsigned threads = 1;
  std::size_t header_limit = 16'384;   // bytes of the request line and the headers
  std::size_t body_limit = 1'048'576;  // bytes
  // Bytes of all bodies together that are larger than that, where on_head allows it. A request that
  // would take it further gets 503.
  std::size_t large_bodies = std::size_t{512} << 20;
  // Open at the same time. For a new one the server drops another: of the address that has most,
  // the one that has been idle longest, or else the one that has been sending its request longest,
  // or one that has not taken its answer within a twelfth of `write_timeout`. While all of them are
  // being answered, a new one gets 503.
  std::size_t connections = 1000;
  // Of one IPv4 address, or of one IPv6 network of 64 bits; for a new one another of the same
  // address is dropped. 0: half of `connections`, and as many as they like for loopback addresses,
  // where one address may be a proxy for many people.
  std::size_t connections_per_address = 0;
  // Each of these may take up to a quarter longer.
  std::chrono::milliseconds request_timeout = std::chrono::seconds(15);  // to send one whole
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);     // between two requests
  std::chrono::milliseconds write_timeout = std::chrono::seconds(60);    // to take an answer
  std::chrono::milliseconds stop_timeout = std::chrono::seconds(5);  // for requests begun at stop()
  // PEM files, both or none: with them the server speaks TLS 1.2 and newer, and nothing else. The
  // certificate's file goes on with those of its issuers, if there are any to send.
  std::string certificate_file = {}, key_file = {};
  // Asked when the headers are there and the body is not: may answer at once, without the handler,
  // or change how large this body may be (`body_limit` above to begin with).
  std::function<std::optional<HttpResponse>(const HttpRequest& head, std::size_t& body_limit)>
      on_head = {};
  // Makes the answers that the server gives by itself, of status 400 and more; text_response()
  // where there is none.
  std::function<HttpResponse(int status, std::string_view line)> error_response = {};
  // Told what a handler threw, and of what ("GET /path"); also of a reply that was never called.
  std::function<void(std::string_view request, const char* what)> on_failure = {};
  std::shared_ptr<HttpTally> tally = {};  // where connections are counted; may outlive the server
};

// HTTP/1.1 over TCP or TLS: connections are kept open, requests may be sent ahead of the answers,
// and neither a slow client nor an answer that is not there yet holds a thread. Wrong requests
// never reach the handler: they are answered with 400, 408 (too slow), 413 (body too large), 417,
// 431 (headers too large), 501 (an unknown encoding), 503 (no room or no memory for it) or 505, and
// the connection is closed.
class HttpServer {
 public:
  // Listens from here on. Throws Error when it cannot, or when a file cannot be used.
  HttpServer(HttpServerOptions options, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  std::uint16_t port() const noexcept;

  // Accepts no more, closes what is idle, answers what has begun, and returns when that is done. A
  // request whose reply has not been called yet has begun; it is waited for until stop_timeout.
  // Not to be called by the handler.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sau
