#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "sau/http/http_message.hpp"

namespace sau::detail {

using Clock = std::chrono::steady_clock;

// One client, as its worker sees it. Used only by the worker's thread. Nothing is thrown by these
// functions: a connection that has no memory to go on with is closed.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  virtual void start() noexcept = 0;
  // The answer to its request of this number. None: there will not be one.
  virtual void answer(std::uint64_t request, std::optional<HttpResponse> response) noexcept = 0;
  // Ends what has taken too long, or was dropped.
  virtual void check(Clock::time_point now) noexcept = 0;
  // Closes when it has nothing to answer any more.
  virtual void begin_stop() noexcept = 0;
  virtual void close() noexcept = 0;
  virtual bool closed() const noexcept = 0;
};

}  // namespace sau::detail
