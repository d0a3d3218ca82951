#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>

namespace sau {

// Temporary memory for one function call: the first kBytes from the stack, the rest from the heap.
// A small vector that is created and dropped in every call costs more in malloc than in its use.
// Nothing is freed before the end.
template <std::size_t kBytes>
class StackMemory {
 public:
  StackMemory() = default;
  StackMemory(const StackMemory&) = delete;
  StackMemory& operator=(const StackMemory&) = delete;
  ~StackMemory() = default;

  std::pmr::memory_resource* resource() noexcept { return &resource_; }

 private:
  alignas(std::max_align_t) std::array<std::byte, kBytes> bytes_;
  std::pmr::monotonic_buffer_resource resource_{bytes_.data(), bytes_.size()};
};

}  // namespace sau
