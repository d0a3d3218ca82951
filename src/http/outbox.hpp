#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sau/http/http_message.hpp"
#include "sau/http/http_reply.hpp"

namespace sau::detail {

// Which request of which connection.
struct Ticket {
  std::uint64_t connection = 0, request = 0;
  friend bool operator==(const Ticket&, const Ticket&) = default;
};

struct Delivery {
  Ticket ticket;
  std::optional<HttpResponse> response;  // none: the reply was given up
};

// Carries answers from any thread to the one that sends them. That thread is woken once for all
// answers that come while it is busy, because many requests are often answered together. Replies
// keep only this part of the server alive.
class Outbox {
 public:
  // `wake` is called on a thread of `io`.
  Outbox(boost::asio::io_context& io, std::function<void()> wake);

  // Thread-safe.
  static HttpReply reply_to(const std::shared_ptr<Outbox>& outbox, const Ticket& ticket);
  // If memory runs out, the request is answered with a failure at the next take().
  void put(Delivery delivery) noexcept;
  // Later answers are dropped.
  void close();

  // Used only by the sending thread, which must call own() first.
  void own();
  // An answer that this thread puts for this ticket between the two calls is returned by the
  // second.
  void begin_call(const Ticket& ticket);
  std::optional<Delivery> end_call();
  void take(std::vector<Delivery>& into);

 private:
  std::mutex mutex_;
  boost::asio::io_context* io_;  // null: closed
  const std::function<void()> wake_;
  std::vector<Delivery> waiting_;
  std::array<Ticket, 64> lost_;  // their answers were lost when memory ran out
  std::size_t lost_count_ = 0;

  std::optional<Ticket> calling_;
  std::optional<Delivery> at_once_;
  std::thread::id sender_;
};

}  // namespace sau::detail
