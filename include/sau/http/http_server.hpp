#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sau/http/http_message.hpp"

namespace sau {

// Called by the server's threads, several at once where there are several: it must be safe to do
// so, and it should be quick, since a thread that is in it serves nobody else. What it throws
// becomes an answer of status 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IP address, or "localhost"
  std::uint16_t port = 0;             // 0: any that is free
  unsigned threads = 1;
  std::size_t header_limit = 16'384;   // bytes of the request line and the headers
  std::size_t body_limit = 1'048'576;  // bytes
  std::size_t connections = 1000;      // open at the same time; more of them wait to be accepted
  std::chrono::milliseconds request_timeout = std::chrono::seconds(15);  // to send one whole
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);     // between two requests
  std::chrono::milliseconds write_timeout = std::chrono::seconds(60);    // to take an answer
  std::chrono::milliseconds stop_timeout = std::chrono::seconds(5);  // for requests begun at stop()
  // Told, by the server's threads, what a handler threw.
  std::function<void(const HttpRequest&, const char* what)> on_failure = {};
};

// HTTP/1.1 over TCP: connections are kept open, requests may be sent ahead of the answers, and
// waiting for a slow client holds no thread. Wrong requests never reach the handler: they are
// answered with 400, 408 (too slow), 413 (body too large), 417, 431 (headers too large), 501 (an
// unknown encoding) or 505, and the connection is closed.
class HttpServer {
 public:
  // Listens from here on. Throws Error when it cannot.
  HttpServer(HttpServerOptions options, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  std::uint16_t port() const noexcept;

  // Accepts no more, closes what is idle, answers what has begun, and returns when that is done.
  // Not to be called by the handler.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sau
