#include "http/worker.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <exception>
#include <utility>

#include "http/response_head.hpp"
#include "http/stream_connection.hpp"

namespace sau::detail {
namespace {

// How often deadlines are looked at: arming a timer for each of them would cost more than all the
// rest of a short request.
Clock::duration tick_of(const HttpServerOptions& options) {
  const auto shortest = std::min({options.request_timeout, options.idle_timeout,
                                  options.write_timeout, options.stop_timeout, kLinger});
  return std::max(std::chrono::milliseconds(1), shortest / 4);
}

}  // namespace

HttpResponse Shared::error_response(int status, std::string_view line) const {
  if (options.error_response) {
    try {
      return options.error_response(status, line);
    } catch (const std::exception& error) {
      if (options.on_failure) options.on_failure("an error response", error.what());
    }
  }
  return text_response(status, line);
}

Worker::Worker(Shared& shared)
    : shared_(shared),
      tick_(tick_of(shared.options)),
      outbox_(std::make_shared<Outbox>(io_, [this] { deliver(); })) {}

Worker::~Worker() { outbox_->close(); }

void Worker::add(Socket socket) {
  ++load_;
  boost::asio::post(io_, [this, moved = std::move(socket)]() mutable { begin(std::move(moved)); });
}

void Worker::stop() {
  boost::asio::post(io_, [this] { begin_stop(); });
}

void Worker::begin(Socket socket) {
  const std::uint64_t id = ++last_connection_;
  std::shared_ptr<Connection> connection;
  if (shared_.tls) {
    using Stream = boost::asio::ssl::stream<Socket>;
    connection = std::make_shared<StreamConnection<Stream>>(Stream(std::move(socket), *shared_.tls),
                                                            *this, id);
  } else {
    connection = std::make_shared<StreamConnection<Socket>>(std::move(socket), *this, id);
  }
  connections_.emplace(id, connection);
  if (!ticking_) tick();
  connection->start();
  if (stopping_) connection->begin_stop();
}

void Worker::forget(std::uint64_t connection) {
  // Later: it is calling this.
  boost::asio::post(io_, [this, connection] {
    connections_.erase(connection);
    --load_;
    shared_.on_closed();
    if (!connections_.empty()) return;
    timer_.cancel();
    if (stopping_) work_.reset();
  });
}

void Worker::begin_stop() {
  stopping_ = true;
  patience_end_ = Clock::now() + shared_.options.stop_timeout;
  if (connections_.empty()) work_.reset();
  for (const auto& [id, connection] : connections_) connection->begin_stop();
}

void Worker::tick() {
  ticking_ = !connections_.empty();
  if (!ticking_) return;
  const auto now = Clock::now();
  for (const auto& [id, connection] : connections_) {
    connection->check(now);
    if (now >= patience_end_) connection->close();
  }
  timer_.expires_after(tick_);
  timer_.async_wait([this](boost::system::error_code) { tick(); });
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
  const std::time_t now = std::time(nullptr);
  if (now != date_time_) {
    date_ = http_date(now);
    date_time_ = now;
  }
  return date_;
}

Outcome Worker::call(const Ticket& ticket, HttpRequest request) {
  Outcome outcome;
  outbox_->begin_call(ticket);
  try {
    shared_.handler(std::move(request), Outbox::reply_to(outbox_, ticket));
  } catch (const std::exception& error) {
    outcome.failure = error.what();
    if (outcome.failure.empty()) outcome.failure = "an exception";
  } catch (...) {
    outcome.failure = "not an exception";
  }
  if (auto given = outbox_->end_call()) {
    outcome.response = std::move(given->response);
    if (!outcome.response && outcome.failure.empty()) outcome.failure = kNeverCalled;
  }
  return outcome;
}

}  // namespace sau::detail
