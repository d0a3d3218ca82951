#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "sau/http/http_message.hpp"

namespace sau::detail {

using Clock = std::chrono::steady_clock;

// A client that is still sending when it is answered gets this long to notice: closing with unread
// bytes would destroy the answer on its way.
inline constexpr std::chrono::milliseconds kLinger{2000};

// A connection whose first request is on its way when the server stops gets this long to send it:
// unlike one that was idle between two requests, the client may not know that it has to try again.
inline constexpr std::chrono::milliseconds kFirstRequest{2000};

// One client, as its worker sees it. Used only by the worker's thread. These functions do not
// throw: a connection that runs out of memory is closed.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  virtual void start() noexcept = 0;
  // The answer to the request with this number. Nothing: there will not be one.
  virtual void answer(std::uint64_t request, std::optional<HttpResponse> response) noexcept = 0;
  // Ends the connection, or its request, if it was dropped or has taken too long.
  virtual void check(Clock::time_point now) noexcept = 0;
  // Closes the connection once everything is answered.
  virtual void begin_stop() noexcept = 0;
  virtual void close() noexcept = 0;
  virtual bool closed() const noexcept = 0;
};

}  // namespace sau::detail
