#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/types.hpp"
#include "sau/kernel/mlp_kernel.hpp"
#include "sau/model/batch.hpp"

namespace sau {

// The units of the layers of a setting such as hidden=100x100. Throws UsageError if they are not
// 1 to `most` layers of whole numbers, or too large.
std::vector<std::size_t> layer_units(std::span<const double> hidden, std::size_t most);

// The weights of a perceptron with ReLU layers and one linear output per action, in single
// precision. Weights and biases start Uniform(+-1 / sqrt(fan_in)).
//
// The first layer is dense, with shape.dim inputs, or sparse. A sparse one has shape.dim = 0: its
// weights are the rows of a FeatureTable, and only its biases are here.
//
// A plain value. Any number of threads may use its const functions, each with its own Scratch.
class Network {
 public:
  struct Layer {
    std::size_t inputs, in_width, units, width;  // padded widths, except that of the input
    std::size_t place;                           // of its weights
  };

  // `hidden` has the units of every ReLU layer, the first one first; at least one layer.
  Network(Shape shape, std::span<const std::size_t> hidden, Rng& rng, const MlpKernel& kernel);

  // Memory that the functions below work in.
  class Scratch {
   public:
    explicit Scratch(const Network& network);
    // The first layer before forward_sum(), the last hidden layer after any forward.
    std::span<float> row() noexcept { return row_; }
    // The outputs of the latest forward.
    std::span<const float> outputs() const noexcept { return output_; }

   private:
    friend class Network;
    AlignedVector<float> row_;
    std::vector<std::uint32_t> index_;  // of the non-zero units of a hidden row
    std::vector<float> value_;
    std::vector<float> output_;
  };

  // The outputs for one input; valid until `scratch` is used again. x may be shorter than the
  // network's input: it then starts at place `first` of it, and the rest is 0.
  std::span<const float> forward(const NetworkInput& x, Scratch& scratch,
                                 std::size_t first = 0) const noexcept;
  // The same for a sparse first layer. scratch.row() starts with the weighted sum of the rows.
  std::span<const float> forward_sum(Scratch& scratch) const noexcept;
  // Turns the sum of a sparse first layer into its units: adds the biases, then ReLU.
  void activate_first(float* sum) const noexcept;
  // The last hidden layer as the latest forward left it.
  std::span<const float> features(const Scratch& scratch) const noexcept {
    return {scratch.row_.data(), layers_.back().units};
  }

  std::span<const Layer> layers() const noexcept { return layers_; }
  Action actions() const noexcept { return actions_; }
  std::size_t output_place() const noexcept { return output_place_; }
  const MlpKernel& kernel() const noexcept { return *kernel_; }

  // Adds outputs with new random weights.
  void grow(Action actions, Rng& rng);
  // Every output becomes factor * output + shift.
  void rescale_outputs(double factor, double shift) noexcept;
  // Makes room for more outputs, filled with 0, in numbers that are laid out like the weights.
  void make_room(AlignedVector<float>& numbers, Action actions) const;

  // The weights by layer, first to last: hidden layers are (inputs + 1) x padded units, the output
  // layer actions x padded units and then the biases.
  std::span<float> weights() noexcept { return weight_; }
  std::span<const float> weights() const noexcept { return weight_; }
  std::size_t parameters() const noexcept;

  // Calls f(place, count, fan_in) for every run of weights without padding inside.
  template <class F>
  void each_run(F&& f) const {
    for (const Layer& layer : layers_) {
      for (std::size_t i = 0; i <= layer.inputs; ++i) {
        f(layer.place + i * layer.width, layer.units, layer.inputs);
      }
    }
    const Layer& last = layers_.back();
    for (std::size_t a = 0; a < actions_; ++a) {
      f(output_place_ + a * last.width, last.units, last.units);
    }
    f(output_place_ + actions_ * last.width, actions_, last.units);
  }

  static void state(auto& self, auto&& field) { field("weights", self.weight_); }

 private:
  std::span<const float> forward_rest(Scratch& scratch) const noexcept;

  const MlpKernel* kernel_;
  Action actions_;
  std::vector<Layer> layers_;
  std::size_t output_place_ = 0;
  AlignedVector<float> weight_;
};

}  // namespace sau
