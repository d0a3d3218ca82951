#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/kernel/mlp_kernel.hpp"
#include "sau/model/replay.hpp"

namespace sau {

// A perceptron with ReLU layers and one linear output per action, in single precision. Weights and
// biases start Uniform(+-1 / sqrt(fan_in)).
class Network {
 public:
  // `hidden` has the units of every ReLU layer, the first one first; at least one layer.
  Network(Shape shape, std::span<const std::size_t> hidden, bool adam, std::size_t batch, Rng& rng,
          const MlpKernel& kernel);

  // The outputs for one input; valid until the next call.
  std::span<const float> forward(const NetworkInput& x) noexcept;
  // The last hidden layer as the latest forward() left it.
  std::span<const float> features() const noexcept;

  // One step of the optimiser on the batch, which must be of the constructor's size. Returns the
  // mean squared error before it.
  double train(const Batch& batch, const OptimizerStep& step) noexcept;

  // Whether every weight is a finite number and can still move: an infinite second moment, the
  // square of a gradient of 1e19 and more, holds its weight where it is.
  bool finite() const noexcept;

  // The weights by layer, first to last, for tests and inspection: hidden layers are
  // (inputs + 1) x padded units, the output layer actions x padded units and then the biases.
  std::span<float> weights() noexcept { return weight_; }
  std::size_t parameters() const noexcept { return parameters_; }

  static void state(auto& self, auto&& field) {
    field("weights", self.weight_);
    field("first_moments", self.first_);
    field("second_moments", self.second_);
  }

 private:
  struct Layer {
    std::size_t inputs, in_width, units, width;  // widths are padded; an input's is not
    std::size_t place;                           // of its weights
    AlignedVector<float> out, delta;             // rows x width
    AlignedVector<float> transposed;             // units x in_width; none for the first layer
  };

  MlpParameters at(std::size_t place) noexcept {
    return {weight_.data() + place, first_.empty() ? nullptr : first_.data() + place,
            second_.data() + place};
  }
  std::size_t last_width() const noexcept { return layers_.back().width; }
  double output_errors(const Batch& batch) noexcept;

  const MlpKernel* kernel_;
  std::size_t dim_, actions_, parameters_ = 0;
  std::vector<Layer> layers_;
  std::size_t output_place_ = 0;
  AlignedVector<float> weight_, first_, second_;
  AlignedVector<float> output_gradient_;
  AlignedVector<float> row_;          // a hidden row, for forward()
  std::vector<std::uint32_t> index_;  // of a hidden row's non-zero units
  AlignedVector<float> value_;
  std::vector<float> output_;
};

}  // namespace sau
