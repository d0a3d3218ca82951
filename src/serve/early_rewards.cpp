#include "serve/early_rewards.hpp"

#include <algorithm>
#include <utility>

#include "core/bytes.hpp"
#include "store/sequence_key.hpp"

namespace sau::detail {
namespace {

constexpr const char* kPrefix = "early/";

std::string key_of_early(std::uint64_t number) { return kPrefix + sortable(number); }

std::string encoded(const EarlyRewards::Item& item) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.put(item.time);
  writer.put(item.activates);
  writer.put(item.value);
  writer.put_text(item.event_id);
  return bytes;
}

}  // namespace

void EarlyRewards::load(const EventStore& store) {
  by_event_.clear();
  by_time_.clear();
  next_ = 1;
  good(store.rows(kPrefix, "", [this](std::string_view key, std::string_view value) {
    ByteReader reader(value);
    Item item;
    item.time = reader.take<Milliseconds>();
    item.activates = reader.take<bool>();
    item.value = reader.take<double>();
    item.event_id = reader.take_text();
    if (!reader.finished()) throw Error("a reward that waits for its decision is damaged");
    const std::uint64_t number = number_of(key.substr(std::string_view(kPrefix).size()));
    next_ = number + 1;
    by_time_.push_back({number, {item.time, item.event_id}});
    std::string id = item.event_id;
    by_event_.emplace(std::move(id), std::pair(number, std::move(item)));
    return true;
  }));
}

void EarlyRewards::add(Item item, StoreBatch& batch) {
  const std::uint64_t number = next_++;
  batch.rows.emplace_back(key_of_early(number), encoded(item));
  by_time_.push_back({number, {item.time, item.event_id}});
  std::string id = item.event_id;
  by_event_.emplace(std::move(id), std::pair(number, std::move(item)));
}

std::vector<EarlyRewards::Item> EarlyRewards::take(std::string_view event_id, StoreBatch& batch) {
  if (by_event_.empty()) return {};
  const auto [begin, end] = by_event_.equal_range(std::string(event_id));
  std::vector<std::pair<std::uint64_t, Item>> found;
  for (auto each = begin; each != end; ++each) found.push_back(std::move(each->second));
  by_event_.erase(begin, end);
  std::ranges::sort(found, {}, &std::pair<std::uint64_t, Item>::first);
  std::vector<Item> items;
  for (auto& [number, item] : found) {
    batch.rows.emplace_back(key_of_early(number), std::nullopt);
    items.push_back(std::move(item));
  }
  return items;
}

std::size_t EarlyRewards::drop(const std::function<bool(Milliseconds)>& too_long_ago,
                               StoreBatch& batch) {
  std::size_t dropped = 0;
  for (; !by_time_.empty() && too_long_ago(by_time_.front().second.first); by_time_.pop_front()) {
    const auto& [number, what] = by_time_.front();
    const auto [begin, end] = by_event_.equal_range(what.second);
    const auto found =
        std::find_if(begin, end, [n = number](const auto& each) { return each.second.first == n; });
    if (found == end) continue;  // its decision has come
    batch.rows.emplace_back(key_of_early(number), std::nullopt);
    by_event_.erase(found);
    ++dropped;
  }
  return dropped;
}

}  // namespace sau::detail
