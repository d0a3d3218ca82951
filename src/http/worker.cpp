#include "http/worker.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "http/response_head.hpp"
#include "http/stream_connection.hpp"
#include "sau/core/time_text.hpp"

namespace sau::detail {
namespace {

// How often deadlines are checked: a timer for each would cost more than all the rest of a short
// request.
Clock::duration tick_of(const HttpServerOptions& options) {
  const auto shortest = std::min({options.request_timeout, options.idle_timeout,
                                  options.write_timeout, options.stop_timeout, kLinger});
  return std::max(std::chrono::milliseconds(1), shortest / 4);
}

}  // namespace

std::shared_ptr<boost::asio::ssl::context> Shared::current_tls() const {
  const std::lock_guard lock(tls_mutex);
  return tls;
}

HttpResponse Shared::error_response(int status, std::string_view line) const {
  if (options.error_response) {
    try {
      return options.error_response(status, line);
    } catch (const std::exception& error) {
      report("an error response", error.what());
    }
  }
  return text_response(status, line);
}

std::shared_ptr<BodyPermit> Shared::large_body_permit() const {
  return std::make_shared<BodyPermit>(large_bodies, options.large_bodies);
}

void Shared::report(std::string_view where, const char* what) const noexcept {
  try {
    if (options.on_failure) options.on_failure(where, what);
  } catch (...) {  // on_failure itself failed: there is nobody left to tell
  }
}

Worker::Worker(Shared& shared)
    : shared_(shared),
      tick_(tick_of(shared.options)),
      outbox_(std::make_shared<Outbox>(io_, [this] { deliver(); })) {}

Worker::~Worker() { outbox_->close(); }

void Worker::add(Socket socket, std::unique_ptr<Guest> guest) {
  ++load_;
  try {
    boost::asio::post(io_, [this, moved = std::move(socket), owned = std::move(guest)]() mutable {
      begin(std::move(moved), std::move(owned));
    });
  } catch (...) {
    --load_;
    throw;
  }
}

void Worker::drop(std::uint64_t connection) noexcept {
  try {
    boost::asio::post(io_, [this, connection] {
      const auto found = connections_.find(connection);
      if (found != connections_.end()) found->second->close();
    });
  } catch (const std::bad_alloc&) {  // the next tick finds that it was dropped
  }
}

void Worker::stop() {
  boost::asio::post(io_, [this] { begin_stop(); });
}

void Worker::run(const std::function<void()>& resume) {
  constexpr std::chrono::milliseconds kPause{10};
  outbox_->own();
  for (bool failed = false;; failed = true) {
    try {
      if (failed) {
        std::this_thread::sleep_for(kPause);
        if (!ticking_) tick();
        resume();
      }
      return static_cast<void>(io_.run());
    } catch (const std::exception& error) {
      shared_.report("a thread of the server", error.what());
    } catch (...) {
      shared_.report("a thread of the server", "not an exception");
    }
  }
}

void Worker::begin(Socket socket, std::unique_ptr<Guest> guest) {
  const std::uint64_t id = guest->id();
  std::shared_ptr<Connection> connection;
  try {
    if (const auto tls = shared_.current_tls()) {
      using Stream = boost::asio::ssl::stream<Socket>;
      connection = std::make_shared<StreamConnection<Stream>>(Stream(std::move(socket), *tls),
                                                              *this, std::move(guest));
    } else {
      connection =
          std::make_shared<StreamConnection<Socket>>(std::move(socket), *this, std::move(guest));
    }
    connections_.emplace(id, connection);
  } catch (...) {
    --load_;
    throw;
  }
  if (!ticking_) tick();
  connection->start();
  if (stopping_) connection->begin_stop();
}

void Worker::forget(std::uint64_t connection) noexcept {
  try {
    // Later, since the connection itself is calling this.
    boost::asio::post(io_, [this, connection] { erase(connection); });
  } catch (const std::bad_alloc&) {  // the next tick finds that it is closed
  }
}

void Worker::erase(std::uint64_t connection) noexcept {
  if (connections_.erase(connection) == 0) return;
  --load_;
  if (!connections_.empty()) return;
  timer_.cancel();
  if (stopping_) work_.reset();
}

void Worker::begin_stop() {
  stopping_ = true;
  patience_end_ = Clock::now() + shared_.options.stop_timeout;
  if (connections_.empty()) work_.reset();
  for (const auto& [id, connection] : connections_) connection->begin_stop();
}

void Worker::tick() {
  ticking_ = false;
  deliver();
  const auto now = Clock::now();
  std::vector<std::uint64_t> closed;
  for (const auto& [id, connection] : connections_) {
    if (connection->closed()) closed.push_back(id);
    connection->check(now);
    if (now >= patience_end_) connection->close();
  }
  for (const std::uint64_t id : closed) erase(id);
  if (connections_.empty()) return;
  timer_.expires_after(tick_);
  timer_.async_wait([this](boost::system::error_code) { tick(); });
  ticking_ = true;
}

void Worker::deliver() {
  outbox_->take(deliveries_);
  for (Delivery& delivery : deliveries_) {
    const auto found = connections_.find(delivery.ticket.connection);
    if (found == connections_.end()) continue;  // broke in the meantime
    found->second->answer(delivery.ticket.request, std::move(delivery.response));
  }
  deliveries_.clear();
}

std::string_view Worker::date() {
  const Milliseconds now = milliseconds_now();
  if (const std::int64_t second = now / 1000; second != date_second_) {
    date_ = http_date(now);
    date_second_ = second;
  }
  return date_;
}

Outcome Worker::call(const Ticket& ticket, HttpRequest request) {
  Outcome outcome;
  outbox_->begin_call(ticket);
  try {
    shared_.handler(std::move(request), Outbox::reply_to(outbox_, ticket));
  } catch (const std::bad_alloc&) {
    outcome.response = shared_.error_response(503, kNoMemory);
    outcome.failure = kNoMemory;
  } catch (const std::exception& error) {
    outcome.failure = error.what();
    if (outcome.failure.empty()) outcome.failure = "an exception";
  } catch (...) {
    outcome.failure = "not an exception";
  }
  if (auto given = outbox_->end_call()) {
    if (given->response) outcome.response = std::move(given->response);
    if (!outcome.response && outcome.failure.empty()) outcome.failure = kNeverCalled;
  }
  return outcome;
}

}  // namespace sau::detail
