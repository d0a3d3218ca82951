#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/shared_chunks.hpp"
#include "sau/kernel/mlp_kernel.hpp"
#include "sau/model/hashed_network.hpp"

namespace sau {

// The inputs of a mini-batch.
struct HashedBatch {
  std::vector<NetworkFeature> features;  // of all inputs, one input after the other
  std::vector<std::size_t> end;          // where each input's features end
  std::vector<float> target;

  void clear() noexcept {
    features.clear();
    end.clear();
    target.clear();
  }
  std::size_t size() const noexcept { return end.size(); }
};

// Teaches a HashedNetwork: squared error, by RMSprop or Adam. Rows that a mini-batch does not have
// are left alone, moments included. Plain loops without fused operations: the same on every
// machine.
class HashedTrainer {
 public:
  // For networks of the shape of this one.
  HashedTrainer(const HashedNetwork& network, bool adam);

  // Computes the gradient of the mean squared error over the batch, and returns that error.
  double backward(const HashedNetwork& network, const HashedBatch& batch);
  // Takes the network a step down that gradient. False if a number has become infinite or worse.
  bool apply(const OptimizerStep& step, HashedNetwork& network);

  // The gradient as backward() left it; empty for a row that the batch does not have.
  std::span<const float> row_gradient(std::uint32_t row) const noexcept;
  std::span<const float> dense_gradient() const noexcept { return dense_gradient_; }

  // The moments, and the network they belong to.
  void save(StateWriter& writer, const HashedNetwork& network) const;
  void load(StateReader& reader, HashedNetwork& network);

 private:
  struct Moments {
    std::vector<float> first, second;
  };

  std::size_t slot_of(const HashedNetwork& network, std::uint32_t row);
  void forward(const HashedNetwork& network, const HashedBatch& batch);

  bool adam_;
  std::size_t units_;
  SharedChunks<Moments> row_moments_;
  Moments dense_moments_;

  // Of the mini-batch in hand.
  std::vector<std::uint32_t> slot_;     // by row: its place among touched_, plus 1
  std::vector<std::uint32_t> touched_;  // rows
  std::vector<const float*> touched_row_;
  std::vector<float> row_gradient_;  // touched x units
  std::vector<float> dense_gradient_;
  std::vector<std::vector<float>> out_, delta_;  // by layer: inputs of the batch x units
};

}  // namespace sau
