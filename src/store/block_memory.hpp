#pragma once

#include <rocksdb/memory_allocator.h>

#include <array>
#include <cstddef>
#include <list>
#include <mutex>

namespace sau::detail {

// Memory for the blocks in RocksDB's cache. Blocks of about the same size share slabs, and an empty
// slab goes back to the system if there is another one of its size. So the process has little more
// memory than the cache has blocks. malloc() mixes them with other data: after two minutes of load
// the heap of the thread that reads most had 80 MB with 43 MB in use. (RocksDB's own allocators
// need a RocksDB built with jemalloc, which Debian's is not.) Thread-safe.
class BlockMemory final : public rocksdb::MemoryAllocator {
 public:
  static constexpr std::size_t kSlab = 256U << 10;    // bytes
  static constexpr std::size_t kStep = 512;           // sizes are rounded up to a multiple of this
  static constexpr std::size_t kLargest = 32U << 10;  // a larger block is not in a slab

  BlockMemory() = default;
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;
  // Every block must have been given back.
  ~BlockMemory() override;

  const char* Name() const override { return "sau.block_memory"; }
  // Throws std::bad_alloc if there is no memory.
  void* Allocate(std::size_t size) override;
  void Deallocate(void* block) override;
  std::size_t UsableSize(void* block, std::size_t size) const override;

  // What all slabs take, in bytes.
  std::size_t slab_bytes() const;

 private:
  struct Free {
    Free* next = nullptr;
  };
  struct Slab {
    std::byte* memory = nullptr;
    std::size_t index = 0;  // of its list in slabs_
    std::size_t fresh = 0;  // places from here on were never used
    std::size_t used = 0;   // places that hold a block
    Free* free = nullptr;   // places that were used and are free again
    std::list<Slab>::iterator self = {};

    std::size_t place_bytes() const noexcept { return index * kStep; }
    std::size_t places() const noexcept { return kSlab / place_bytes(); }
  };
  // Stands before every block. A free place has a Free instead.
  struct alignas(std::max_align_t) Head {
    Slab* slab = nullptr;  // nullptr: a large block, on its own
  };
  struct Slabs {
    std::list<Slab> open, full;  // slabs with and without a free place
  };

  static Head* head_of(void* block) noexcept { return static_cast<Head*>(block) - 1; }
  void* take(std::size_t index);

  mutable std::mutex mutex_;
  std::array<Slabs, kLargest / kStep + 1> slabs_;  // by size in steps
  std::size_t count_ = 0;                          // of slabs
};

}  // namespace sau::detail
