#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sau {

// An array of chunks that is cheap to copy whole: copies share the chunks, and one that is written
// to after a copy was taken is replaced by its own copy first. Chunks come to be when they are
// first written to. Copies may be read and dropped in other threads while this one is written to.
template <class Chunk>
class SharedChunks {
 public:
  explicit SharedChunks(std::size_t count) : chunk_(count), own_(count, 0) {}
  SharedChunks(SharedChunks&&) noexcept = default;
  SharedChunks& operator=(SharedChunks&&) noexcept = default;
  SharedChunks(const SharedChunks&) = delete;
  SharedChunks& operator=(const SharedChunks&) = delete;
  ~SharedChunks() = default;

  std::size_t size() const noexcept { return chunk_.size(); }

  // None where nothing was ever written.
  const Chunk* operator[](std::size_t i) const noexcept { return chunk_[i].get(); }

  Chunk& writable(std::size_t i) {
    if (own_[i] == 0) {
      chunk_[i] = chunk_[i] ? std::make_shared<Chunk>(*chunk_[i]) : std::make_shared<Chunk>();
      own_[i] = 1;
    }
    return *chunk_[i];
  }

  // Whom a chunk belongs to is remembered, not asked of its counter: a count of 1 does not tell
  // that the reader who let go of it has finished reading.
  SharedChunks shared() {
    own_.assign(own_.size(), 0);
    SharedChunks copy(0);
    copy.chunk_ = chunk_;
    copy.own_ = own_;
    return copy;
  }

 private:
  std::vector<std::shared_ptr<Chunk>> chunk_;
  std::vector<unsigned char> own_;  // 1: no copy has it
};

}  // namespace sau
