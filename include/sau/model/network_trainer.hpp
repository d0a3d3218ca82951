#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/archive.hpp"
#include "sau/kernel/mlp_kernel.hpp"
#include "sau/model/batch.hpp"
#include "sau/model/feature_table.hpp"
#include "sau/model/network.hpp"

namespace sau {

// Trains a Network: squared error of the chosen action's output, by RMSprop or Adam.
class NetworkTrainer {
 public:
  // For networks shaped like this one, and mini-batches of `batch` steps.
  NetworkTrainer(const Network& network, bool adam, std::size_t batch);

  // One step of the optimiser on the batch, which must be of the constructor's size. Returns the
  // mean squared error before it.
  double train(Network& network, const Batch& batch, const OptimizerStep& step) noexcept;

  // Makes room for a network that is about to get more outputs.
  void grow(const Network& network, Action actions) {
    network.make_room(first_, actions);
    network.make_room(second_, actions);
    output_gradient_.resize(second_.size() - network.output_place());
  }

  // Whether every weight is a finite number and can still move: an infinite second moment, from the
  // square of a gradient of 1e19 or more, freezes its weight.
  bool finite(const Network& network) const noexcept;

  static void state(auto& self, auto&& field) {
    field("first_moments", self.first_);
    field("second_moments", self.second_);
  }

 protected:
  struct Buffers {
    AlignedVector<float> out, delta;  // rows x width
    AlignedVector<float> transposed;  // units x in_width; none for the first layer
  };

  // Trains all layers but the first, whose units must already be computed. Leaves the error of the
  // first layer in its delta.
  double train_rest(Network& network, const Batch& batch, const OptimizerStep& step) noexcept;
  MlpParameters at(Network& network, std::size_t place) noexcept {
    return {network.weights().data() + place, first_.empty() ? nullptr : first_.data() + place,
            second_.data() + place};
  }

  AlignedVector<float> first_, second_;  // moments, laid out as the weights
  std::vector<Buffers> buffers_;         // by layer
  AlignedVector<float> output_gradient_;
};

// Trains a Network whose first layer is a FeatureTable. Rows that do not occur in a mini-batch are
// left alone, moments included.
class SparseTrainer : private NetworkTrainer {
 public:
  SparseTrainer(const Network& network, unsigned bits, bool adam, std::size_t batch);

  // As NetworkTrainer::train(), for a batch of hashed features.
  double train(Network& network, FeatureTable& table, const Batch& batch,
               const OptimizerStep& step);
  bool finite(const Network& network) const noexcept {
    return rows_finite_ && NetworkTrainer::finite(network);
  }

  // The moments, and the weights that they belong to.
  void save(StateWriter& writer, const Network& network, const FeatureTable& table) const;
  void load(StateReader& reader, Network& network, FeatureTable& table);

 private:
  std::optional<FeatureTable> row_first_;  // Adam's
  FeatureTable row_second_;
  bool rows_finite_ = true;
  AlignedVector<float> zeros_, gradient_;  // width
  std::vector<const float*> row_;          // of the table, by column of the batch
  std::vector<const float*> summed_;
};

}  // namespace sau
