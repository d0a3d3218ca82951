#include "sau/http/http_server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "http/crowd.hpp"
#include "http/tls.hpp"
#include "http/worker.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, asio::io_context::executor_type>;

constexpr std::chrono::milliseconds kAcceptRetry{50};

// Out of file descriptors, or of the kernel memory for them.
bool is_out_of_files(const ErrorCode& error) {
  return error == boost::system::errc::too_many_files_open ||
         error == boost::system::errc::too_many_files_open_in_system ||
         error == boost::system::errc::no_buffer_space ||
         error == boost::system::errc::not_enough_memory;
}

asio::ip::tcp::endpoint endpoint_of(const HttpServerOptions& options) {
  ErrorCode error;
  const std::string text =
      lower_case(options.address) == "localhost" ? "127.0.0.1" : options.address;
  const auto address = asio::ip::make_address(text, error);
  if (error) {
    throw UsageError("cannot listen on '" + options.address +
                     "'; expected an IP address, such as 127.0.0.1, or localhost");
  }
  return {address, options.port};
}

asio::ip::tcp protocol_of(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return address.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
}

}  // namespace

HttpHandler answered_at_once(std::function<HttpResponse(const HttpRequest&)> answer) {
  return [answer = std::move(answer)](const HttpRequest& request, const HttpReply& reply) {
    reply(answer(request));
  };
}

// Accepts connections on the thread of the first worker, and gives each to the worker with the
// fewest.
class HttpServer::Implementation {
 public:
  Implementation(HttpServerOptions options, HttpHandler handler)
      : shared_{.options = std::move(options), .handler = std::move(handler), .tls = {}},
        crowd_(shared_.options) {
    const HttpServerOptions& given = shared_.options;
    const auto endpoint = given.listener < 0 ? endpoint_of(given) : asio::ip::tcp::endpoint();
    shared_.tls = detail::tls_of(given);
    for (unsigned i = 0; i < std::max(given.threads, 1U); ++i) {
      workers_.push_back(std::make_unique<detail::Worker>(shared_));
    }
    acceptor_.emplace(first());
    retry_.emplace(first());
    try {
      if (given.listener >= 0) {
        acceptor_->assign(protocol_of(given.listener), given.listener);
      } else {
        acceptor_->open(endpoint.protocol());
        acceptor_->set_option(Acceptor::reuse_address(true));
        acceptor_->bind(endpoint);
        acceptor_->listen();
      }
      port_ = acceptor_->local_endpoint().port();
    } catch (const boost::system::system_error& error) {
      throw Error("cannot listen on " + given.address + " port " + std::to_string(given.port) +
                  ": " + error.code().message());
    }
    asio::post(first(), [this] { accept(); });
    try {
      for (const auto& worker : workers_) {
        const bool accepts = worker == workers_.front();
        threads_.emplace_back([this, &worker, accepts] {
          worker->run([this, accepts] {
            if (accepts && !waiting_) accept();
          });
        });
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

  void reload_certificate() {
    auto fresh = detail::tls_of(shared_.options);
    const std::lock_guard lock(shared_.tls_mutex);
    shared_.tls.swap(fresh);
  }

  void stop() {
    std::call_once(stopped_, [this] {
      std::promise<void> closed;
      asio::post(first(), [this, &closed] {
        stopping_ = true;
        ErrorCode ignored;
        acceptor_->close(ignored);
        retry_->cancel();
        // Behind a connection that was accepted just before: its worker must still take it.
        asio::post(first(), [&closed] { closed.set_value(); });
      });
      if (!threads_.empty()) closed.get_future().wait();
      for (const auto& worker : workers_) worker->stop();
      for (std::thread& thread : threads_) thread.join();
      crowd_.has_room(nullptr);  // nobody waits for room any more
    });
  }

 private:
  asio::io_context& first() { return workers_.front()->io(); }

  // Called on the first worker's thread, unless noted otherwise:

  void accept() {
    if (stopping_) return;
    if (!crowd_.has_room([this] { accept_now(); })) return accept_later();
    detail::Worker& worker = **std::ranges::min_element(
        workers_, {}, [](const auto& candidate) { return candidate->load(); });
    acceptor_->async_accept(worker.io(), [this, &worker](ErrorCode error, detail::Socket socket) {
      waiting_ = false;
      if (error) {
        if (stopping_) return;
        // Without a file descriptor, the new connection waits until one is free.
        if (is_out_of_files(error)) close_dropped(crowd_.drop_one());
        return accept_later();
      }
      try {
        welcome(std::move(socket), worker);
      } catch (const std::exception& failure) {
        shared_.report("a new connection", failure.what());
      }
      accept();
    });
    waiting_ = true;
  }

  void welcome(detail::Socket socket, detail::Worker& worker) {
    ErrorCode error;
    const auto peer = socket.remote_endpoint(error);
    if (error) return;  // gone already
    detail::Crowd::Admission admission = crowd_.admit(peer.address(), worker);
    close_dropped(admission.dropped);
    if (admission.guest) worker.add(std::move(socket), std::move(admission.guest));
  }

  static void close_dropped(const std::optional<detail::Crowd::Dropped>& dropped) noexcept {
    if (dropped) dropped->worker->drop(dropped->id);
  }

  // Called by any thread.
  void accept_now() noexcept {
    try {
      asio::post(first(), [this] { retry_->cancel(); });
    } catch (const std::bad_alloc&) {  // it is tried again soon anyway
    }
  }

  // No file descriptors are left, for example: retrying immediately would only waste CPU time.
  void accept_later() {
    retry_->expires_after(kAcceptRetry);
    retry_->async_wait([this](ErrorCode) {
      waiting_ = false;
      accept();
    });
    waiting_ = true;
  }

  detail::Shared shared_;
  detail::Crowd crowd_;
  std::vector<std::unique_ptr<detail::Worker>> workers_;
  std::optional<Acceptor> acceptor_;
  std::optional<asio::steady_timer> retry_;
  std::uint16_t port_ = 0;
  bool stopping_ = false;
  bool waiting_ = false;  // for a connection, or to try again
  std::vector<std::thread> threads_;
  std::once_flag stopped_;
};

HttpServer::HttpServer(HttpServerOptions options, HttpHandler handler)
    : implementation_(std::make_unique<Implementation>(std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const noexcept { return implementation_->port(); }

void HttpServer::reload_certificate() { implementation_->reload_certificate(); }

void HttpServer::stop() { implementation_->stop(); }

}  // namespace sau
