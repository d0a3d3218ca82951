#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace sau::detail {

// Limits how many requests a caller may send in a second. A caller that was quiet for a while may
// send a full second's requests at once. Thread-safe.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimit(std::function<Clock::time_point()> clock = Clock::now)
      : clock_(std::move(clock)) {}

  // Counts a request of `who`, who may send `rate` a second. Returns 0 if it is allowed. If not, it
  // does not count, and the result says after how many whole seconds one will be allowed.
  unsigned wait(std::uint64_t who, double rate);

 private:
  struct Account {
    double left = 0.0;  // requests
    Clock::time_point time;
    double rate = 0.0;
  };
  void forget_quiet_ones(Clock::time_point now);

  std::function<Clock::time_point()> clock_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Account> accounts_;
  std::size_t look_at_ = kFewest;  // clean up when there are this many

  static constexpr std::size_t kFewest = 1024;
};

}  // namespace sau::detail
