#pragma once

#include <algorithm>
#include <cstddef>

// Loops of a perceptron over one input, in single precision.

namespace sau::detail {

inline void add_scaled(float factor, const float* __restrict x, std::size_t size,
                       float* __restrict y) noexcept {
  for (std::size_t i = 0; i < size; ++i) y[i] += factor * x[i];
}

inline void rectify(float* x, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) x[i] = x[i] < 0.0F ? 0.0F : x[i];  // NaN stays
}

// In eight partial sums, so that it goes by vectors.
inline float inner_product(const float* a, const float* b, std::size_t size) noexcept {
  constexpr std::size_t kLanes = 8;
  float sum[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < size; ++i) sum[0] += a[i] * b[i];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// out = in W + bias, W being inputs x units with the biases behind it.
inline void dense_layer(const float* in, std::size_t inputs, const float* weight, std::size_t units,
                        float* out) noexcept {
  std::copy_n(weight + inputs * units, units, out);
  if (units == 1) {
    out[0] += inner_product(in, weight, inputs);
    return;
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    if (in[i] != 0.0F) add_scaled(in[i], weight + i * units, units, out);
  }
}

}  // namespace sau::detail
