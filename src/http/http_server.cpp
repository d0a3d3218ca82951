#include "sau/http/http_server.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "http/response_head.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Strand>;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Strand>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Strand>;
using Parser = http::request_parser<http::string_body>;
using Milliseconds = std::chrono::milliseconds;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
// A client that is still sending when it is answered gets this long to take notice: closing with
// bytes unread would destroy the answer on its way.
constexpr Milliseconds kLinger{2000};
constexpr Milliseconds kAcceptRetry{50};

std::string text_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

// The answer to what cannot be read; none when the connection itself broke.
std::optional<HttpResponse> answer_to(const ErrorCode& error) {
  static const auto& category = http::make_error_code(http::error::bad_method).category();
  if (error.category() != category || error == http::error::end_of_stream) return std::nullopt;
  if (error == http::error::header_limit) return text_response(431, "the headers are too large");
  if (error == http::error::body_limit) return text_response(413, "the body is too large");
  if (error == http::error::bad_version) return text_response(505, "only HTTP/1.0 and HTTP/1.1");
  return text_response(400, "not an HTTP request: " + error.message());
}

// What is wrong with well-formed headers, if anything.
std::optional<HttpResponse> objection_to(const Parser::value_type& message) {
  const auto hosts = message.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && message.version() >= 11)) {
    return text_response(400, "exactly one Host header is needed");
  }
  // Where a body ends must not be open to doubt: its rest would be taken for the next request.
  const auto encodings = message.count(http::field::transfer_encoding);
  if (encodings > 0 && (encodings > 1 || !boost::beast::iequals(
                                             message[http::field::transfer_encoding], "chunked"))) {
    return text_response(501, "the only transfer encoding known here is chunked");
  }
  const auto expected = message[http::field::expect];
  if (!expected.empty() && !boost::beast::iequals(expected, "100-continue")) {
    return text_response(417, "the only expectation known here is 100-continue");
  }
  return std::nullopt;
}

HttpRequest request_of(Parser::value_type message) {
  HttpRequest request{.method = text_of(message.method_string()),
                      .target = text_of(message.target()),
                      .headers = {},
                      .body = std::move(message.body())};
  for (const auto& field : message) {
    request.headers.push_back({text_of(field.name_string()), text_of(field.value())});
  }
  // A target may be a whole address, which then overrules Host (RFC 9112, section 3.2.2).
  constexpr std::string_view kScheme = "http://";
  if (request.target.starts_with(kScheme)) {
    const std::size_t slash = request.target.find('/', kScheme.size());
    const std::string host = request.target.substr(kScheme.size(), slash - kScheme.size());
    request.target = slash == std::string::npos ? "/" : request.target.substr(slash);
    std::erase_if(request.headers, [](const HttpHeader& header) {
      return boost::beast::iequals(header.name, "Host");
    });
    request.headers.push_back({"Host", host});
  }
  return request;
}

// What a connection needs of the server it belongs to.
class Hub {
 public:
  virtual const HttpServerOptions& options() const = 0;
  virtual HttpResponse respond(const HttpRequest& request) = 0;
  virtual void forget(const void* connection) = 0;

 protected:
  ~Hub() = default;
};

// One client: reads a request, answers it, and begins again. Everything happens on its strand; what
// it waits for keeps it alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Socket socket, Hub& hub)
      : hub_(hub), socket_(std::move(socket)), timer_(socket_.get_executor()) {}

  // These may be called from any thread.
  void start() {
    enter([](Connection& self) {
      ErrorCode ignored;
      self.socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
      self.wait_for_request();
    });
  }
  void begin_stop() {
    enter([](Connection& self) {
      self.stopping_ = true;
      if (self.idle_) self.close();
    });
  }
  void abort() {
    enter([](Connection& self) { self.close(); });
  }

 private:
  template <class Action>
  void enter(Action action) {
    asio::post(socket_.get_executor(), [self = shared_from_this(), action] { action(*self); });
  }

  // Calls `action` unless something else is awaited by then.
  void arm(Milliseconds after, void (Connection::*action)()) {
    if (closed_) return;
    timer_.expires_after(after);
    timer_.async_wait([self = shared_from_this(), action, armed = ++armed_](ErrorCode error) {
      if (!error && armed == self->armed_) (self.get()->*action)();
    });
  }
  void disarm() {
    ++armed_;
    timer_.cancel();
  }

  void wait_for_request() {
    if (buffer_.size() > 0) return read_request();  // was sent ahead
    if (stopping_) return close();
    idle_ = true;
    arm(hub_.options().idle_timeout, &Connection::close);
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode error) {
      self->idle_ = false;
      if (error || self->closed_) return self->close();
      self->read_request();
    });
  }

  void read_request() {
    parser_.emplace();
    parser_->header_limit(
        static_cast<std::uint32_t>(std::min<std::size_t>(hub_.options().header_limit, UINT32_MAX)));
    parser_->body_limit(hub_.options().body_limit);
    arm(hub_.options().request_timeout, &Connection::give_up_reading);
    http::async_read_header(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->header_read(error); });
  }

  // What is being read ends with an error, and that with an answer.
  void give_up_reading() {
    expired_ = true;
    socket_.cancel();
  }

  void header_read(ErrorCode error) {
    if (error || expired_) return refuse(error);
    if (const auto objection = objection_to(parser_->get())) {
      return send(*objection, detail::Persistence::kClose, false);
    }
    if (parser_->is_done()) return answer();
    if (parser_->get()[http::field::expect].empty()) return read_body();
    asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared_from_this()](ErrorCode failed, std::size_t) {
                        if (failed || self->expired_) return self->refuse(failed);
                        self->read_body();
                      });
  }

  void read_body() {
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](ErrorCode error, std::size_t) {
                       if (error || self->expired_) return self->refuse(error);
                       self->answer();
                     });
  }

  void refuse(const ErrorCode& error) {
    auto response = answer_to(error);
    if (expired_) response = text_response(408, "the request did not come in time");
    if (!response || closed_) return close();
    send(std::move(*response), detail::Persistence::kClose, false);
  }

  void answer() {
    disarm();
    Parser::value_type message = parser_->release();
    const bool keep = message.keep_alive() && !stopping_;
    const bool head_only = message.method() == http::verb::head;
    const auto persistence = !keep                    ? detail::Persistence::kClose
                             : message.version() < 11 ? detail::Persistence::kKeepAlive
                                                      : detail::Persistence::kDefault;
    send(hub_.respond(request_of(std::move(message))), persistence, head_only);
  }

  void send(HttpResponse response, detail::Persistence persistence, bool head_only) {
    head_ = detail::response_head(response, persistence, std::time(nullptr));
    body_ = head_only || !detail::has_body(response.status) ? "" : std::move(response.body);
    arm(hub_.options().write_timeout, &Connection::close);
    const std::array<asio::const_buffer, 2> bytes = {asio::buffer(head_), asio::buffer(body_)};
    const bool last = persistence == detail::Persistence::kClose;
    asio::async_write(socket_, bytes,
                      [self = shared_from_this(), last](ErrorCode error, std::size_t) {
                        if (error) return self->close();
                        self->body_ = {};
                        if (last) return self->linger();
                        self->wait_for_request();
                      });
  }

  void linger() {
    ErrorCode error;
    socket_.shutdown(Socket::shutdown_send, error);
    if (error) return close();
    arm(kLinger, &Connection::close);
    discard();
  }
  void discard() {
    socket_.async_read_some(asio::buffer(scratch_),
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              if (error) return self->close();
                              self->discard();
                            });
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    disarm();
    ErrorCode ignored;
    socket_.close(ignored);
    hub_.forget(this);
  }

  Hub& hub_;
  Socket socket_;
  Timer timer_;
  std::uint64_t armed_ = 0;  // which call of arm() is the current one
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::string head_, body_;
  std::array<char, 4096> scratch_;
  bool idle_ = false, expired_ = false, stopping_ = false, closed_ = false;
};

asio::ip::tcp::endpoint endpoint_of(const HttpServerOptions& options) {
  ErrorCode error;
  const std::string text = options.address == "localhost" ? "127.0.0.1" : options.address;
  const auto address = asio::ip::make_address(text, error);
  if (error) {
    throw UsageError("cannot listen on '" + options.address +
                     "'; expected an IP address, such as 127.0.0.1, or localhost");
  }
  return {address, options.port};
}

}  // namespace

class HttpServer::Implementation final : public Hub {
 public:
  Implementation(HttpServerOptions options, HttpHandler handler)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        strand_(asio::make_strand(io_)),
        acceptor_(strand_),
        retry_(strand_),
        patience_(strand_) {
    const auto endpoint = endpoint_of(options_);
    try {
      acceptor_.open(endpoint.protocol());
      acceptor_.set_option(Acceptor::reuse_address(true));
      acceptor_.bind(endpoint);
      acceptor_.listen();
      port_ = acceptor_.local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw Error("cannot listen on " + options_.address + " port " +
                  std::to_string(options_.port) + ": " + error.code().message());
    }
    asio::post(strand_, [this] { accept(); });
    try {
      for (unsigned i = 0; i < std::max(options_.threads, 1U); ++i) {
        threads_.emplace_back([this] { io_.run(); });
      }
    } catch (...) {
      stop();
      throw;
    }
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() { stop(); }

  std::uint16_t port() const noexcept { return port_; }

  void stop() {
    std::call_once(stopped_, [this] {
      asio::post(strand_, [this] { begin_stop(); });
      work_.reset();
      for (std::thread& thread : threads_) thread.join();
    });
  }

  const HttpServerOptions& options() const override { return options_; }

  HttpResponse respond(const HttpRequest& request) override {
    try {
      HttpResponse response = handler_(request);
      // A response that cannot be written is a failure of the handler as well.
      detail::response_head(response, detail::Persistence::kDefault, 0);
      return response;
    } catch (const std::exception& error) {
      if (options_.on_failure) options_.on_failure(request, error.what());
    } catch (...) {
      if (options_.on_failure) options_.on_failure(request, "not an exception");
    }
    return text_response(500, "the server failed to answer this");
  }

  void forget(const void* connection) override {
    asio::post(strand_, [this, connection] {
      connections_.erase(connection);
      if (stopping_ && connections_.empty()) patience_.cancel();
      if (full_) accept();
    });
  }

 private:
  // What follows is called on the strand.

  void accept() {
    full_ = connections_.size() >= std::max<std::size_t>(options_.connections, 1);
    if (stopping_ || full_) return;
    acceptor_.async_accept(asio::make_strand(io_), [this](ErrorCode error, Socket socket) {
      if (stopping_) return;
      if (error) return accept_later();
      const auto connection = std::make_shared<Connection>(std::move(socket), *this);
      connections_.emplace(connection.get(), connection);
      connection->start();
      accept();
    });
  }

  // No file descriptors are left, say: asking again at once would only burn time.
  void accept_later() {
    retry_.expires_after(kAcceptRetry);
    retry_.async_wait([this](ErrorCode) { accept(); });
  }

  void begin_stop() {
    stopping_ = true;
    acceptor_.close();
    retry_.cancel();
    if (connections_.empty()) return;
    for (const auto& [key, connection] : connections_) connection->begin_stop();
    patience_.expires_after(options_.stop_timeout);
    patience_.async_wait([this](ErrorCode error) {
      if (error) return;
      for (const auto& [key, connection] : connections_) connection->abort();
    });
  }

  HttpServerOptions options_;
  HttpHandler handler_;
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  Strand strand_;
  Acceptor acceptor_;
  Timer retry_, patience_;
  std::uint16_t port_ = 0;
  bool stopping_ = false, full_ = false;
  std::unordered_map<const void*, std::shared_ptr<Connection>> connections_;
  std::vector<std::thread> threads_;
  std::once_flag stopped_;
};

HttpServer::HttpServer(HttpServerOptions options, HttpHandler handler)
    : implementation_(std::make_unique<Implementation>(std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const noexcept { return implementation_->port(); }

void HttpServer::stop() { implementation_->stop(); }

}  // namespace sau
