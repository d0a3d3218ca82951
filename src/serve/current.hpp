#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace sau::detail {

// An immutable value that is replaced as a whole. Readers keep the one they got.
template <class T>
class Current {
 public:
  explicit Current(std::shared_ptr<const T> value) : value_(std::move(value)) {}

  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const T> value) {
    // The old value may be large: it is destroyed outside the lock.
    {
      const std::lock_guard lock(mutex_);
      value_.swap(value);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace sau::detail
