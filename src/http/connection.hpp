#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "sau/http/http_message.hpp"

namespace sau::detail {

using Clock = std::chrono::steady_clock;

// One client, as its worker sees it; all of it is called by the worker's thread.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  virtual void start() = 0;
  // The answer to its request of this number. None: there will not be one.
  virtual void answer(std::uint64_t request, std::optional<HttpResponse> response) = 0;
  // Ends what has taken too long.
  virtual void check(Clock::time_point now) = 0;
  // Closes when it has nothing to answer any more.
  virtual void begin_stop() = 0;
  virtual void close() = 0;
};

}  // namespace sau::detail
