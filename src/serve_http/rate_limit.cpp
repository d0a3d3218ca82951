#include "serve_http/rate_limit.hpp"

#include <algorithm>
#include <cmath>

namespace sau::detail {
namespace {

// What an account may hold: the requests of one second, and never less than one.
double most_of(double rate) { return std::max(rate, 1.0); }

}  // namespace

unsigned RateLimit::wait(std::uint64_t who, double rate) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = clock_();
  if (accounts_.size() >= look_at_) forget_quiet_ones(now);
  const auto [found, is_new] = accounts_.try_emplace(who, Account{most_of(rate), now, rate});
  Account& account = found->second;
  const std::chrono::duration<double> passed = now - account.time;
  account.left = std::min(account.left + rate * passed.count(), most_of(rate));
  account.time = now;
  account.rate = rate;
  if (account.left >= 1.0) {
    account.left -= 1.0;
    return 0;
  }
  constexpr double kLongest = 3600.0;
  return static_cast<unsigned>(std::ceil(std::clamp((1.0 - account.left) / rate, 1e-3, kLongest)));
}

void RateLimit::forget_quiet_ones(Clock::time_point now) {
  // An account that would be full by now is like a new one.
  std::erase_if(accounts_, [now](const auto& each) {
    const Account& account = each.second;
    const std::chrono::duration<double> passed = now - account.time;
    return account.left + account.rate * passed.count() >= most_of(account.rate);
  });
  look_at_ = std::max(kFewest, 2 * accounts_.size());
}

}  // namespace sau::detail
