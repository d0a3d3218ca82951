#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "http/body_permit.hpp"
#include "http/connection.hpp"
#include "http/crowd.hpp"
#include "http/outbox.hpp"
#include "sau/http/http_server.hpp"

namespace sau::detail {

// With a concrete executor: asio's any_io_executor costs a virtual call for every operation.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// Shared by all threads of a server.
struct Shared {
  HttpServerOptions options;
  HttpHandler handler;
  std::shared_ptr<boost::asio::ssl::context> tls;  // null: plain HTTP; else guarded by tls_mutex
  mutable std::mutex tls_mutex = {};
  std::shared_ptr<std::atomic<std::size_t>> large_bodies =  // bytes
      std::make_shared<std::atomic<std::size_t>>(0);

  // For a new connection. Connections keep the one that they began with.
  std::shared_ptr<boost::asio::ssl::context> current_tls() const;
  // The server's own answer to a bad request.
  HttpResponse error_response(int status, std::string_view line) const;
  // To be kept as long as a large body. Has no room yet.
  std::shared_ptr<BodyPermit> large_body_permit() const;
  void report(std::string_view where, const char* what) const noexcept;
};

// The result of calling the handler. If both are empty, the answer comes later.
struct Outcome {
  std::optional<HttpResponse> response;
  std::string failure;
};

inline constexpr const char* kNeverCalled = "the reply was never called";
inline constexpr const char* kNoMemory = "not enough memory for this request";

// A thread of the server, and its connections. No other thread touches them, so they need no lock.
class Worker {
 public:
  explicit Worker(Shared& shared);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Thread-safe.
  boost::asio::io_context& io() noexcept { return io_; }
  std::size_t load() const noexcept { return load_; }  // connections
  void add(Socket socket, std::unique_ptr<Guest> guest);
  // Closes a connection that the crowd has dropped.
  void drop(std::uint64_t connection) noexcept;
  void stop();
  // Returns when it was stopped and the last connection is gone. Does not throw: an exception ends
  // only the step in which it was thrown; then it calls `resume` and continues.
  void run(const std::function<void()>& resume);

  // Used only by its own thread, for its connections.
  const Shared& shared() const noexcept { return shared_; }
  std::string_view date();
  // Calls the handler.
  Outcome call(const Ticket& ticket, HttpRequest request);
  void forget(std::uint64_t connection) noexcept;

 private:
  void begin(Socket socket, std::unique_ptr<Guest> guest);
  void begin_stop();
  void tick();
  void erase(std::uint64_t connection) noexcept;
  void deliver();

  Shared& shared_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  boost::asio::steady_timer timer_{io_};
  const Clock::duration tick_;
  bool ticking_ = false, stopping_ = false;
  Clock::time_point patience_end_ = Clock::time_point::max();
  std::shared_ptr<Outbox> outbox_;
  std::vector<Delivery> deliveries_;
  std::int64_t date_second_ = -1;
  std::string date_;
  std::atomic<std::size_t> load_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
};

}  // namespace sau::detail
