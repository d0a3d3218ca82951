#include "store/block_memory.hpp"

#include <sys/mman.h>

#include <new>

namespace sau::detail {

BlockMemory::~BlockMemory() {
  for (Slabs& each : slabs_) {
    for (const Slab& slab : each.open) ::munmap(slab.memory, kSlab);
    for (const Slab& slab : each.full) ::munmap(slab.memory, kSlab);
  }
}

void* BlockMemory::Allocate(std::size_t size) {
  const std::size_t index = (size + sizeof(Head) + kStep - 1) / kStep;
  if (index < slabs_.size()) return take(index);
  return ::new (::operator new(size + sizeof(Head))) Head{} + 1;
}

void* BlockMemory::take(std::size_t index) {
  const std::lock_guard lock(mutex_);
  Slabs& slabs = slabs_[index];
  if (slabs.open.empty()) {
    slabs.open.emplace_back();
    void* const memory =
        ::mmap(nullptr, kSlab, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      slabs.open.pop_back();
      throw std::bad_alloc();
    }
    Slab& made = slabs.open.back();
    made.memory = static_cast<std::byte*>(memory);
    made.index = index;
    made.self = slabs.open.begin();
    ++count_;
  }
  Slab& slab = slabs.open.front();
  void* place = slab.free;
  if (place != nullptr) {
    slab.free = slab.free->next;
  } else {
    place = slab.memory + slab.fresh++ * slab.place_bytes();
  }
  if (++slab.used == slab.places()) slabs.full.splice(slabs.full.begin(), slabs.open, slab.self);
  return ::new (place) Head{&slab} + 1;
}

void BlockMemory::Deallocate(void* block) {
  Head* const head = head_of(block);
  if (head->slab == nullptr) return ::operator delete(head);
  const std::lock_guard lock(mutex_);
  Slab& slab = *head->slab;
  Slabs& slabs = slabs_[slab.index];
  if (slab.used == slab.places()) slabs.open.splice(slabs.open.begin(), slabs.full, slab.self);
  slab.free = ::new (static_cast<void*>(head)) Free{slab.free};
  // The only slab of its size stays: merging tables takes and gives back one block at a time.
  if (--slab.used > 0 || slabs.open.size() == 1) return;
  ::munmap(slab.memory, kSlab);
  slabs.open.erase(slab.self);
  --count_;
}

std::size_t BlockMemory::UsableSize(void* block, std::size_t size) const {
  // Nobody changes the index of a slab while it has a block.
  const Slab* const slab = head_of(block)->slab;
  return slab == nullptr ? size : slab->place_bytes() - sizeof(Head);
}

std::size_t BlockMemory::slab_bytes() const {
  const std::lock_guard lock(mutex_);
  return count_ * kSlab;
}

}  // namespace sau::detail
