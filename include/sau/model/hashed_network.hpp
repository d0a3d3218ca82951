#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/shared_chunks.hpp"

namespace sau {

// A feature of an input: its row in the table of the first layer, and its value.
struct NetworkFeature {
  std::uint32_t row = 0;
  float value = 0.0F;
};

// The weights of a perceptron with ReLU layers and one linear output, whose first layer is a table
// of 2^bits rows, one a feature: the rows of the features present are summed, so that an input
// costs by these and not by the size of the table. Rows start at 0, so that a feature never seen
// changes nothing, and take memory once their neighbours or they have been learned; the other
// weights and all biases start Uniform(+-1 / sqrt(fan_in)), which is what makes the units differ.
class HashedNetwork {
 public:
  HashedNetwork(unsigned bits, std::span<const std::size_t> hidden, Rng& rng);

  std::size_t units() const noexcept { return hidden_.front(); }  // of the first layer
  std::size_t widest() const noexcept;
  // Adds value * row for all features to `sum`, units() numbers.
  void add_rows(std::span<const NetworkFeature> features, float* sum) const noexcept;
  // The output, given the sum of the first layer without its biases. `scratch` has room for twice
  // widest().
  float output(const float* sum, float* scratch) const noexcept;

  // A copy to read.
  HashedNetwork shared();

  // For tests.
  std::span<float> writable(std::uint32_t place) { return {writable_row(place), units()}; }
  std::span<float> dense() { return dense_.writable(0); }

 private:
  friend class HashedTrainer;
  static constexpr std::size_t kChunkRows = 16;

  HashedNetwork(std::vector<std::size_t> hidden, SharedChunks<std::vector<float>> rows,
                SharedChunks<std::vector<float>> dense)
      : hidden_(std::move(hidden)), rows_(std::move(rows)), dense_(std::move(dense)) {}

  const float* row(std::uint32_t place) const noexcept {
    const std::vector<float>* chunk = rows_[place / kChunkRows];
    return chunk == nullptr ? nullptr : chunk->data() + place % kChunkRows * units();
  }
  float* writable_row(std::uint32_t place);

  std::vector<std::size_t> hidden_;
  SharedChunks<std::vector<float>> rows_;  // kChunkRows x units
  // One chunk. Biases of the first layer; then for every further layer its weights, inputs x units,
  // and its biases; the last one has one unit, the output.
  SharedChunks<std::vector<float>> dense_;
};

}  // namespace sau
