#pragma once

#include <cstddef>
#include <cstdint>

#include "sau/kernel/instruction_set.hpp"

namespace sau {

// Kernels of a perceptron with ReLU layers, in single precision.
//
// The units of a layer are padded to a multiple of kMlpPad, the rows of a batch to a multiple of
// kMlpRows; padding is 0 and stays 0. A hidden layer's weights are (inputs + 1) x width, row-major;
// width is the padded number of units, and the last row holds the biases. Arrays do not overlap and
// start on a cache line, except the inputs of a network, which may start anywhere.
inline constexpr std::size_t kMlpPad = 8;
inline constexpr std::size_t kMlpRows = 4;

constexpr std::size_t mlp_padded(std::size_t units) noexcept {
  return (units + kMlpPad - 1) / kMlpPad * kMlpPad;
}

// What one step of an optimiser does to a weight w with gradient g:
//     RMSprop (Hinton 2012):    v <- keep2 v + take2 g^2,  w <- w - rate g / (sqrt(v) + epsilon)
//     Adam (Kingma & Ba 2015):  m <- keep1 m + take1 g,    v as above,
//                               w <- w - rate m / (scale2 sqrt(v) + epsilon)
// with take = 1 - keep, rounded once. kMlpTiny is added to v: without a gradient v would become a
// denormal number, for which some processors take a hundred times as long. Adam's bias corrections
// are in rate, lr / (1 - keep1^t), and scale2, 1 / sqrt(1 - keep2^t).
struct OptimizerStep {
  bool adam = false;
  float rate = 0.0F;
  float keep1 = 0.0F, take1 = 1.0F;
  float keep2 = 0.0F, take2 = 1.0F;
  float scale2 = 1.0F;
  float epsilon = 0.0F;
};

inline constexpr float kMlpTiny = 1e-36F;

// Weights and their moments, of the same shape; `first` is used by Adam only.
struct MlpParameters {
  float* weight;
  float* first;
  float* second;
};

// A matrix by its non-zero elements: line i has those from start[i] to start[i + 1].
struct SparseLines {
  const std::uint32_t* start;
  const std::uint32_t* index;
  const float* value;
};

// The output layer during an update: one row of `width` weights and one bias per action.
struct MlpOutput {
  const float* weight;     // actions x width
  const float* bias;       // actions
  float* weight_gradient;  // as weight; added to
  float* bias_gradient;    // as bias; added to
};

struct MlpKernel {
  // out = relu(in W + bias): rows x width. Row r of `in` starts at in + r * stride.
  void (*forward)(const float* in, std::size_t stride, std::size_t rows, std::size_t inputs,
                  const float* weight, std::size_t width, float* out) noexcept;
  // The same with the rows of `in` given by their non-zero elements.
  void (*sparse_forward)(const SparseLines& in, std::size_t rows, std::size_t inputs,
                         const float* weight, std::size_t width, float* out) noexcept;
  // sum += value[k] * row[k] over `count` rows of `width` numbers, which lie anywhere.
  void (*sum_rows)(const float* const* row, const float* value, std::size_t count,
                   std::size_t width, float* sum) noexcept;
  // out[k] = weight_k' x + bias[k] for `count` rows of `width` weights.
  void (*outputs)(const float* x, const float* weight, const float* bias, std::size_t count,
                  std::size_t width, float* out) noexcept;
  // The non-zero elements of x, in order. Returns how many.
  std::size_t (*compress)(const float* x, std::size_t width, std::uint32_t* index,
                          float* value) noexcept;

  // Squared error of the chosen action's output only, averaged over `count` rows of `x`:
  //     e = out_a - reward,  g = 2 e / count,  gradient_a += g x,  delta = g weight_a where x > 0.
  // Returns the sum of e^2.
  double (*output_errors)(const float* x, std::size_t count, std::size_t width,
                          const MlpOutput& layer, const std::uint32_t* action, const float* reward,
                          float* delta) noexcept;
  // transposed (units x in_width) from the weights ((inputs + 1) x width) without the biases.
  void (*transpose)(const float* weight, std::size_t inputs, std::size_t units, std::size_t width,
                    std::size_t in_width, float* transposed) noexcept;
  // delta_in = delta transposed where activation > 0: rows x in_width. delta is rows x width.
  void (*backward)(const float* delta, std::size_t width, std::size_t units,
                   const float* transposed, std::size_t in_width, const float* activation,
                   std::size_t rows, float* delta_in) noexcept;

  // Takes a layer one step down its gradient, in' delta; biases included.
  void (*update)(const float* in, std::size_t stride, const float* delta, std::size_t rows,
                 std::size_t inputs, std::size_t width, const MlpParameters& parameters,
                 const OptimizerStep& step) noexcept;
  // The same with the columns of `in` given by their non-zero elements.
  void (*sparse_update)(const SparseLines& columns, const float* delta, std::size_t rows,
                        std::size_t inputs, std::size_t width, const MlpParameters& parameters,
                        const OptimizerStep& step) noexcept;
  // The same with a given gradient; `size` is padded.
  void (*apply)(const float* gradient, std::size_t size, const MlpParameters& parameters,
                const OptimizerStep& step) noexcept;
};

// Lives as long as the program. The set must be one that this processor has.
const MlpKernel& mlp_kernel(InstructionSet set) noexcept;

}  // namespace sau
