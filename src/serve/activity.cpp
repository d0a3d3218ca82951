#include "serve/activity.hpp"

#include <algorithm>
#include <utility>

namespace sau::detail {

void Activity::add(Milliseconds steady, const Period& what) {
  for (Timeline& each : timelines_) each.at(steady).add(what);
}

void Activity::ranked(Milliseconds steady, Recent recent, bool explored, bool agreed) {
  const std::lock_guard lock(mutex_);
  add(steady, {.ranks = 1, .explored = explored ? 1U : 0U, .agreed = agreed ? 1U : 0U});
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
  add(steady, {.rewards = 1});
}

void Activity::learned(Milliseconds steady, double reward, double baseline) {
  const std::lock_guard lock(mutex_);
  add(steady, {.learned = 1,
               .reward_sum = reward,
               .baseline_sum = baseline,
               .gain_squares = (reward - baseline) * (reward - baseline)});
}

std::vector<Period> Activity::history(Span span, const ClockReading& now) const {
  const std::lock_guard lock(mutex_);
  return of(span).until(now);
}

std::vector<Activity::Recent> Activity::recent() const {
  const std::lock_guard lock(mutex_);
  return {recent_.begin(), recent_.end()};
}

void Activity::forget(const std::map<Sequence, std::string>& ids) {
  const std::lock_guard lock(mutex_);
  std::erase_if(recent_, [&](const Recent& each) {
    return std::ranges::any_of(ids, [&](const auto& id) { return id.second == each.event_id; });
  });
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
