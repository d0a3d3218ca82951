#include "sau/http/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "http/tls.hpp"
#include "http/worker.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, asio::io_context::executor_type>;

constexpr std::chrono::milliseconds kAcceptRetry{50};

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

HttpHandler answered_at_once(std::function<HttpResponse(const HttpRequest&)> answer) {
  return [answer = std::move(answer)](const HttpRequest& request, const HttpReply& reply) {
    reply(answer(request));
  };
}

// Accepts connections, on the thread of the first worker, and gives each to the worker that has
// fewest.
class HttpServer::Implementation {
 public:
  Implementation(HttpServerOptions options, HttpHandler handler)
      : shared_{.options = std::move(options), .handler = std::move(handler), .tls = {}} {
    const HttpServerOptions& given = shared_.options;
    const auto endpoint = endpoint_of(given);
    shared_.tls = detail::tls_of(given);
    shared_.on_closed = [this] { one_closed(); };
    for (unsigned i = 0; i < std::max(given.threads, 1U); ++i) {
      workers_.push_back(std::make_unique<detail::Worker>(shared_));
    }
    acceptor_.emplace(first());
    retry_.emplace(first());
    try {
      acceptor_->open(endpoint.protocol());
      acceptor_->set_option(Acceptor::reuse_address(true));
      acceptor_->bind(endpoint);
      acceptor_->listen();
      port_ = acceptor_->local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw Error("cannot listen on " + given.address + " port " + std::to_string(given.port) +
                  ": " + error.code().message());
    }
    asio::post(first(), [this] { accept(); });
    try {
      for (const auto& worker : workers_) threads_.emplace_back([&worker] { worker->run(); });
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
      asio::post(first(), [this] {
        stopping_ = true;
        acceptor_->close();
        retry_->cancel();
      });
      for (const auto& worker : workers_) worker->stop();
      for (std::thread& thread : threads_) thread.join();
    });
  }

 private:
  asio::io_context& first() { return workers_.front()->io(); }

  void one_closed() {
    --open_;
    asio::post(first(), [this] {
      if (full_) accept();
    });
  }

  // What follows is called on the first worker's thread.

  void accept() {
    full_ = open_ >= std::max<std::size_t>(shared_.options.connections, 1);
    if (stopping_ || full_) return;
    detail::Worker& worker = **std::ranges::min_element(
        workers_, {}, [](const auto& candidate) { return candidate->load(); });
    acceptor_->async_accept(worker.io(), [this, &worker](ErrorCode error, detail::Socket socket) {
      if (stopping_) return;
      if (error) return accept_later();
      ++open_;
      worker.add(std::move(socket));
      accept();
    });
  }

  // No file descriptors are left, say: asking again at once would only burn time.
  void accept_later() {
    retry_->expires_after(kAcceptRetry);
    retry_->async_wait([this](ErrorCode) { accept(); });
  }

  detail::Shared shared_;
  std::vector<std::unique_ptr<detail::Worker>> workers_;
  std::optional<Acceptor> acceptor_;
  std::optional<asio::steady_timer> retry_;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> open_ = 0;  // connections
  bool stopping_ = false, full_ = false;
  std::vector<std::thread> threads_;
  std::once_flag stopped_;
};

HttpServer::HttpServer(HttpServerOptions options, HttpHandler handler)
    : implementation_(std::make_unique<Implementation>(std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const noexcept { return implementation_->port(); }

void HttpServer::stop() { implementation_->stop(); }

}  // namespace sau
