#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace sau::detail {

// The part of the memory for large bodies that one of them takes. Destroying it gives the memory
// back.
class BodyPermit {
 public:
  // `taken`: the bytes that all permits have.
  BodyPermit(std::shared_ptr<std::atomic<std::size_t>> taken, std::size_t limit)
      : taken_(std::move(taken)), limit_(limit) {}
  BodyPermit(const BodyPermit&) = delete;
  BodyPermit& operator=(const BodyPermit&) = delete;
  ~BodyPermit() { *taken_ -= bytes_; }

  // Takes room for a body of `bytes` in total; false if there is not enough.
  bool grow_to(std::size_t bytes) noexcept {
    if (bytes <= bytes_) return true;
    const std::size_t more = bytes - bytes_;
    std::size_t taken = *taken_;
    do {
      if (more > limit_ - taken) return false;
    } while (!taken_->compare_exchange_weak(taken, taken + more));
    bytes_ = bytes;
    return true;
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> taken_;
  std::size_t limit_;
  std::size_t bytes_ = 0;
};

}  // namespace sau::detail
