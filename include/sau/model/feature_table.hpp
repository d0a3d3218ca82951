#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/shared_chunks.hpp"
#include "sau/kernel/mlp_kernel.hpp"

namespace sau {

// The sparse first layer of a Network: 2^bits rows of weights, one per hashed feature. The rows of
// the features present are summed, so the cost of an input depends on its features and not on the
// size of the table. Rows start at 0, so a feature never seen changes nothing. A row takes memory
// only once it, or one of its 15 neighbours, was written to.
class FeatureTable {
 public:
  FeatureTable(unsigned bits, std::size_t units)
      : units_(units), chunks_((std::size_t{1} << bits) / kChunkRows) {}

  std::size_t units() const noexcept { return units_; }
  std::size_t width() const noexcept { return mlp_padded(units_); }

  // width() weights, or nullptr where nothing was ever written.
  const float* row(std::uint32_t place) const noexcept {
    const AlignedVector<float>* chunk = chunk_of(place);
    return chunk == nullptr ? nullptr : row_in(*chunk, place);
  }
  float* writable_row(std::uint32_t place);

  // A row in two steps: the chunk that has it, and the row there.
  const AlignedVector<float>* chunk_of(std::uint32_t place) const noexcept {
    return chunks_[place / kChunkRows];
  }
  const float* row_in(const AlignedVector<float>& chunk, std::uint32_t place) const noexcept {
    return chunk.data() + place % kChunkRows * width();
  }

  // A copy to read. It shares the chunks that are not written to later.
  FeatureTable shared() { return {units_, chunks_.shared()}; }

  // The chunks that were ever written to, and their weights without padding.
  std::vector<std::uint64_t> places() const;
  std::vector<float> packed() const;
  // Restores them. Throws Error if the two do not match.
  void unpack(std::span<const std::uint64_t> places, std::span<const float> packed);

 private:
  static constexpr std::size_t kChunkRows = 16;
  using Chunks = SharedChunks<AlignedVector<float>>;  // kChunkRows x width

  FeatureTable(std::size_t units, Chunks chunks) : units_(units), chunks_(std::move(chunks)) {}

  std::size_t units_;
  Chunks chunks_;
};

// Rows of a FeatureTable and their factors: an input, in one or more parts. Rows lie anywhere in a
// table larger than the caches, behind two pointers. So we ask for all of them first, and look them
// up together: each pass prefetches what the next one needs.
class FeatureRows {
 public:
  void clear() noexcept {
    asked_.clear();
    row_.clear();
    value_.clear();
    ends_.clear();
    parts_.clear();
  }
  void ask(std::uint32_t place, float value) { asked_.push_back({place, value, nullptr}); }
  // Makes a part of what was asked for since the last part.
  void end_part() { parts_.push_back(asked_.size()); }
  // Finds what was asked for, except rows where nothing was ever written.
  void look_up(const FeatureTable& table);

  // Adds value * row for all of them to `sum`, which has `width` numbers.
  void add_to(float* sum, std::size_t width, const MlpKernel& kernel) const noexcept {
    kernel.sum_rows(row_.data(), value_.data(), row_.size(), width, sum);
  }
  // The same for one part.
  void add_part_to(std::size_t part, float* sum, std::size_t width,
                   const MlpKernel& kernel) const noexcept {
    const std::size_t first = part == 0 ? 0 : ends_[part - 1];
    kernel.sum_rows(row_.data() + first, value_.data() + first, ends_[part] - first, width, sum);
  }

 private:
  struct Asked {
    std::uint32_t place;
    float value;
    const AlignedVector<float>* chunk;
  };

  std::vector<Asked> asked_;
  std::vector<std::size_t> parts_, ends_;  // of the parts, in asked_ and in row_
  std::vector<const float*> row_;
  std::vector<float> value_;
};

}  // namespace sau
