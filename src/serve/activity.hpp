#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sau/store/record.hpp"
#include "serve/log_clock.hpp"
#include "serve/timeline.hpp"

namespace sau::detail {

// How far back the live page looks.
enum class Span : std::uint8_t { kFiveMinutes, kHour, kDay, kWeek };
constexpr std::array<std::string_view, 4> kSpanNames = {"minutes", "hour", "day", "week"};

// What happened since the start, for the live page. Its memory is bounded whatever the load.
class Activity {
 public:
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

  // Every period of a span up to now, oldest first: seconds of five minutes, ten seconds of an
  // hour, five minutes of a day, half hours of a week.
  std::vector<Period> history(Span span, const ClockReading& now) const;
  Milliseconds step(Span span) const noexcept { return of(span).step(); }
  std::vector<Recent> recent() const;  // newest first
  // Removes these events from the recent ones. `ids` has their ids, by decision.
  void forget(const std::map<Sequence, std::string>& ids);
  // Each action's share of the latest decisions, most used first.
  std::vector<Share> shares(std::size_t limit) const;

 private:
  static constexpr std::size_t kRecent = 20, kShares = 10'000;

  const Timeline& of(Span span) const noexcept {
    return timelines_[static_cast<std::size_t>(span)];
  }
  // Adds what happened just now.
  void add(Milliseconds steady, const Period& what);

  mutable std::mutex mutex_;
  // In the order of Span.
  std::array<Timeline, kSpanNames.size()> timelines_{
      {{1'000, 300}, {10'000, 360}, {300'000, 288}, {1'800'000, 336}}};
  std::deque<Recent> recent_;
  std::deque<std::string> chosen_;
  std::unordered_map<std::string, std::uint64_t> ranked_;
};

}  // namespace sau::detail
