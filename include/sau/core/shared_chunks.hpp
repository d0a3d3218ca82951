#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sau {

// A copy-on-write array of chunks, cheap to copy as a whole. Copies share the chunks; the first
// write to a shared chunk replaces it by a private copy. A chunk is created by the first write to
// it. Other threads may read and drop copies while this one is written to.
//
// Chunks are grouped in pages, so that a copy touches the reference counts of pages only: touching
// those of 16,384 chunks takes milliseconds.
template <class Chunk>
class SharedChunks {
 public:
  explicit SharedChunks(std::size_t count)
      : at_(count, nullptr),
        page_((count + kPage - 1) / kPage),
        own_page_(page_.size(), 0),
        own_(count, 0) {}
  SharedChunks(SharedChunks&&) noexcept = default;
  SharedChunks& operator=(SharedChunks&&) noexcept = default;
  SharedChunks(const SharedChunks&) = delete;
  SharedChunks& operator=(const SharedChunks&) = delete;
  ~SharedChunks() = default;

  std::size_t size() const noexcept { return own_.size(); }

  // nullptr where nothing was ever written.
  const Chunk* operator[](std::size_t i) const noexcept { return at_[i]; }

  Chunk& writable(std::size_t i) {
    if (own_[i] != 0) return *at_[i];
    std::shared_ptr<Page>& page = page_[i / kPage];
    if (own_page_[i / kPage] == 0) {
      page = page ? std::make_shared<Page>(*page) : std::make_shared<Page>();
      own_page_[i / kPage] = 1;
    }
    std::shared_ptr<Chunk>& chunk = (*page)[i % kPage];
    chunk = chunk ? std::make_shared<Chunk>(*chunk) : std::make_shared<Chunk>();
    own_[i] = 1;
    at_[i] = chunk.get();
    return *chunk;
  }

  // A copy. We record whether a chunk is shared: a reference count of 1 would not guarantee that
  // the reader who released the chunk has finished reading.
  SharedChunks shared() {
    own_page_.assign(own_page_.size(), 0);
    own_.assign(own_.size(), 0);
    SharedChunks copy(0);
    copy.at_ = at_;
    copy.page_ = page_;
    copy.own_page_ = own_page_;
    copy.own_ = own_;
    return copy;
  }

 private:
  static constexpr std::size_t kPage = 64;
  using Page = std::array<std::shared_ptr<Chunk>, kPage>;

  std::vector<Chunk*> at_;  // address of every chunk
  std::vector<std::shared_ptr<Page>> page_;
  std::vector<unsigned char> own_page_, own_;  // 1: not shared with a copy, and nor is its page
};

}  // namespace sau
