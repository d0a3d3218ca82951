#include "serve/activity.hpp"

#include <algorithm>
#include <utility>

namespace sau::detail {

Activity::Second& Activity::second(Milliseconds time) {
  const Milliseconds begin = time - time % 1000;
  if (seconds_.empty() || seconds_.back().time < begin) {
    seconds_.push_back({.time = begin});
    if (seconds_.size() > kSeconds) seconds_.pop_front();
  }
  return seconds_.back();
}

void Activity::ranked(Recent recent, bool explored, bool agreed) {
  const std::lock_guard lock(mutex_);
  Second& now = second(recent.time);
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

void Activity::rewarded(Milliseconds time) {
  const std::lock_guard lock(mutex_);
  ++second(time).rewards;
}

void Activity::learned(Milliseconds time, double reward, double baseline) {
  const std::lock_guard lock(mutex_);
  Second& now = second(time);
  ++now.learned;
  now.reward_sum += reward;
  now.baseline_sum += baseline;
}

std::vector<Activity::Second> Activity::history(Milliseconds now) const {
  std::vector<Second> all;
  const std::lock_guard lock(mutex_);
  if (seconds_.empty()) return all;
  const Milliseconds end = now - now % 1000;
  Milliseconds time =
      std::max(seconds_.front().time, end - static_cast<Milliseconds>(kSeconds - 1) * 1000);
  auto next = std::ranges::lower_bound(seconds_, time, {}, &Second::time);
  for (; time <= end; time += 1000) {
    if (next != seconds_.end() && next->time == time) {
      all.push_back(*next++);
    } else {
      all.push_back({.time = time});
    }
  }
  return all;
}

std::vector<Activity::Recent> Activity::recent() const {
  const std::lock_guard lock(mutex_);
  return {recent_.begin(), recent_.end()};
}

std::vector<Activity::Share> Activity::shares(std::size_t limit) const {
  std::vector<Share> all;
  {
    const std::lock_guard lock(mutex_);
    const auto total = static_cast<double>(std::max<std::size_t>(chosen_.size(), 1));
    for (const auto& [id, count] : ranked_) {
      all.push_back({id, count, static_cast<double>(count) / total});
    }
  }
  std::ranges::sort(all, [](const Share& a, const Share& b) {
    return a.ranked != b.ranked ? a.ranked > b.ranked : a.id < b.id;
  });
  if (all.size() > limit) all.resize(limit);
  return all;
}

}  // namespace sau::detail
