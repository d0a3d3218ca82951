#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sau/store/record.hpp"
#include "serve/log_clock.hpp"

namespace sau::detail {

// Recent activity, for the live page. Its memory is bounded whatever the load. Seconds are counted
// by a clock that nobody sets, so that a jump of the time of day leaves no gap.
class Activity {
 public:
  struct Second {
    Milliseconds time = 0;  // its beginning; in history(), the time of day
    std::uint64_t ranks = 0, rewards = 0, learned = 0, explored = 0, agreed = 0;
    double reward_sum = 0.0, baseline_sum = 0.0;
    double gain_squares = 0.0;  // of the differences of the two, summed
  };
  struct Recent {
    std::string event_id, action_id;
    Milliseconds time = 0;
    double probability = 0.0;
    std::size_t actions = 0;
    LearningMode mode = LearningMode::kOnline;
  };
  struct Share {
    std::string id;
    std::uint64_t ranked = 0;
    double share = 0.0;
  };

  // `steady` is a time of the clock that nobody sets.
  void ranked(Milliseconds steady, Recent recent, bool explored, bool agreed);
  void rewarded(Milliseconds steady);
  // `baseline` is an unbiased estimate of the reward of the caller's first action.
  void learned(Milliseconds steady, double reward, double baseline);

  // The last five minutes, oldest first, with every second up to now.
  std::vector<Second> history(const ClockReading& now) const;
  std::vector<Recent> recent() const;  // newest first
  // Each action's share of the latest decisions, most used first.
  std::vector<Share> shares(std::size_t limit) const;

 private:
  static constexpr std::size_t kSeconds = 300, kRecent = 20, kShares = 10'000;

  Second& second(Milliseconds steady);

  mutable std::mutex mutex_;
  std::deque<Second> seconds_;
  std::deque<Recent> recent_;
  std::deque<std::string> chosen_;
  std::unordered_map<std::string, std::uint64_t> ranked_;
};

}  // namespace sau::detail
