#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "sau/store/event_store.hpp"

namespace sau::detail {

// The store, shared by threads: many may read, one writes, and no thread reads while it is
// reopened.
class SharedStore {
 public:
  explicit SharedStore(std::unique_ptr<EventStore> store) : store_(std::move(store)) {}

  // Calls `use` with the store, which stays open meanwhile.
  template <class Use>
  auto read(Use use) const {
    const std::shared_lock lock(mutex_);
    return use(std::as_const(*store_));
  }
  // For the one thread that writes.
  Status write(const StoreBatch& batch) {
    const std::shared_lock lock(mutex_);
    return store_->write(batch);
  }
  Status forget(const LogHead& until) {
    const std::shared_lock lock(mutex_);
    return store_->forget(until);
  }
  Status reopen(const std::function<void()>& meanwhile = {}) {
    const std::unique_lock lock(mutex_);
    return store_->reopen(meanwhile);
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unique_ptr<EventStore> store_;
};

}  // namespace sau::detail
