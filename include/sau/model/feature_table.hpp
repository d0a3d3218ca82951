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
    const AlignedVector<float>* chunk = chunks_[place / kChunkRows];
    return chunk == nullptr ? nullptr : chunk->data() + place % kChunkRows * width();
  }
  float* writable_row(std::uint32_t place);

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

// Rows of a FeatureTable and their factors: an input, or a part of one.
class FeatureRows {
 public:
  void clear() noexcept {
    row_.clear();
    value_.clear();
  }
  void add(const FeatureTable& table, std::uint32_t place, float value) {
    const float* row = table.row(place);
    if (row == nullptr) return;
    // Rows lie anywhere in a table larger than the caches: prefetch them before they are summed.
    constexpr std::size_t kLine = 64 / sizeof(float);
    for (std::size_t j = 0; j < table.units(); j += kLine) __builtin_prefetch(row + j);
    row_.push_back(row);
    value_.push_back(value);
  }
  // Adds value * row for all of them to `sum`, which has `width` numbers.
  void add_to(float* sum, std::size_t width, const MlpKernel& kernel) const noexcept {
    kernel.sum_rows(row_.data(), value_.data(), row_.size(), width, sum);
  }

 private:
  std::vector<const float*> row_;
  std::vector<float> value_;
};

}  // namespace sau
