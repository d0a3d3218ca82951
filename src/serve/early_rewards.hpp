#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sau/store/event_store.hpp"

namespace sau::detail {

// Rewards and activations that reached a trainer before their decision, which came to another node.
// They are kept beside the log until the decision comes, or until they are too old.
// A change takes effect when the rows that it adds to a batch are written; after a failed write
// load() brings back what is on disk.
class EarlyRewards {
 public:
  struct Item {
    Milliseconds time = 0;
    std::string event_id;
    bool activates = false;
    double value = 0.0;
  };

  // Throws Error when the store cannot be read.
  void load(const EventStore& store);

  void add(Item item, StoreBatch& batch);
  // Removes what came for this event, in the order in which it came.
  std::vector<Item> take(std::string_view event_id, StoreBatch& batch);
  // Removes what came at a time that is too long ago. Returns how many.
  std::size_t drop(const std::function<bool(Milliseconds)>& too_long_ago, StoreBatch& batch);

  std::size_t size() const noexcept { return by_event_.size(); }

 private:
  std::uint64_t next_ = 1;
  std::unordered_multimap<std::string, std::pair<std::uint64_t, Item>> by_event_;
  std::deque<std::pair<std::uint64_t, std::pair<Milliseconds, std::string>>> by_time_;
};

}  // namespace sau::detail
