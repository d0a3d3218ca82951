#include "serve/activity.hpp"

#include <algorithm>
#include <utility>

namespace sau::detail {

Activity::Second& Activity::second(Milliseconds steady) {
  const Milliseconds begin = steady - steady % 1000;
  if (seconds_.empty() || seconds_.back().time < begin) {
    seconds_.push_back({.time = begin});
    if (seconds_.size() > kSeconds) seconds_.pop_front();
  }
  return seconds_.back();
}

void Activity::ranked(Milliseconds steady, Recent recent, bool explored, bool agreed) {
  const std::lock_guard lock(mutex_);
  Second& now = second(steady);
  ++now.ranks;
  if (explored) ++now.explored;
  if (agreed) ++now.agreed;
  chosen_.push_back(recent.action_id);
  ++ranked_[recent.action_id];
  if (chosen_.size() > kShares) {
    const auto oldest = ranked_.find(chosen_.front());
    if (--oldest->second == 0) ranked_.erase(oldest);
    chosen_.pop_front();
  }
  recent_.push_front(std::move(recent));
  if (recent_.size() > kRecent) recent_.pop_back();
}

void Activity::rewarded(Milliseconds steady) {
  const std::lock_guard lock(mutex_);
  ++second(steady).rewards;
}

void Activity::learned(Milliseconds steady, double reward, double baseline) {
  const std::lock_guard lock(mutex_);
  Second& now = second(steady);
  ++now.learned;
  now.reward_sum += reward;
  now.baseline_sum += baseline;
  now.gain_squares += (reward - baseline) * (reward - baseline);
}

std::vector<Activity::Second> Activity::history(const ClockReading& now) const {
  std::vector<Second> all;
  const std::lock_guard lock(mutex_);
  if (seconds_.empty()) return all;
  const Milliseconds end = now.steady - now.steady % 1000;
  const Milliseconds ahead = (now.wall - now.wall % 1000) - end;
  Milliseconds time =
      std::max(seconds_.front().time, end - static_cast<Milliseconds>(kSeconds - 1) * 1000);
  auto next = std::ranges::lower_bound(seconds_, time, {}, &Second::time);
  for (; time <= end; time += 1000) {
    all.push_back(next != seconds_.end() && next->time == time ? *next++ : Second{});
    all.back().time = time + ahead;
  }
  return all;
}

std::vector<Activity::Recent> Activity::recent() const {
  const std::lock_guard lock(mutex_);
  return {recent_.begin(), recent_.end()};
}

std::vector<Activity::Share> Activity::shares(std::size_t limit) const {
  using Count = std::pair<const std::string, std::uint64_t>;
  std::vector<const Count*> most;
  most.reserve(kShares);
  std::vector<Share> all;
  all.reserve(limit);
  // Decisions wait for this lock, so only the ids that are shown are copied.
  const std::lock_guard lock(mutex_);
  for (const Count& each : ranked_) most.push_back(&each);
  const std::size_t shown = std::min(limit, most.size());
  std::ranges::partial_sort(
      most, most.begin() + static_cast<std::ptrdiff_t>(shown), [](const Count* a, const Count* b) {
        return a->second != b->second ? a->second > b->second : a->first < b->first;
      });
  const auto total = static_cast<double>(std::max<std::size_t>(chosen_.size(), 1));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [id, count] = *most[i];
    all.push_back({id, count, static_cast<double>(count) / total});
  }
  return all;
}

}  // namespace sau::detail
