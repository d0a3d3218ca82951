#include <cmath>

#include "kernel/mlp_kernels.hpp"

// The kernels in plain C++, and the reference that the others are tested against.

namespace sau::detail {

// Branch-free: which units are 0 cannot be foreseen.
std::size_t compress(const float* x, std::size_t width, std::uint32_t* index,
                     float* value) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < width; ++i) {
    index[count] = static_cast<std::uint32_t>(i);
    value[count] = x[i];
    count += x[i] != 0.0F ? 1U : 0U;
  }
  return count;
}

namespace {

void relu(float* x, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) x[i] = x[i] < 0.0F ? 0.0F : x[i];  // NaN stays
}

void add_multiple(float factor, const float* x, std::size_t size, float* y) noexcept {
  for (std::size_t i = 0; i < size; ++i) y[i] += factor * x[i];
}

void forward(const float* in, std::size_t stride, std::size_t rows, std::size_t inputs,
             const float* weight, std::size_t width, float* out) noexcept {
  for (std::size_t r = 0; r < rows; ++r, in += stride, out += width) {
    for (std::size_t j = 0; j < width; ++j) out[j] = weight[inputs * width + j];
    for (std::size_t i = 0; i < inputs; ++i) add_multiple(in[i], weight + i * width, width, out);
    relu(out, width);
  }
}

void sparse_forward(const SparseLines& in, std::size_t rows, std::size_t inputs,
                    const float* weight, std::size_t width, float* out) noexcept {
  for (std::size_t r = 0; r < rows; ++r, out += width) {
    for (std::size_t j = 0; j < width; ++j) out[j] = weight[inputs * width + j];
    for (std::uint32_t k = in.start[r]; k < in.start[r + 1]; ++k) {
      add_multiple(in.value[k], weight + in.index[k] * width, width, out);
    }
    relu(out, width);
  }
}

void sum_rows(const float* const* row, const float* value, std::size_t count, std::size_t width,
              float* sum) noexcept {
  for (std::size_t k = 0; k < count; ++k) add_multiple(value[k], row[k], width, sum);
}

float dot(const float* a, const float* b, std::size_t size) noexcept {
  float sum[kMlpPad] = {};
  for (std::size_t i = 0; i < size; i += kMlpPad) {
    for (std::size_t lane = 0; lane < kMlpPad; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

void outputs(const float* x, const float* weight, const float* bias, std::size_t count,
             std::size_t width, float* out) noexcept {
  for (std::size_t k = 0; k < count; ++k) out[k] = dot(weight + k * width, x, width) + bias[k];
}

double output_errors(const float* x, std::size_t count, std::size_t width, const MlpOutput& layer,
                     const std::uint32_t* action, const float* reward, float* delta) noexcept {
  double loss = 0.0;
  const float factor = 2.0F / static_cast<float>(count);
  for (std::size_t r = 0; r < count; ++r, x += width, delta += width) {
    const float* weight = layer.weight + action[r] * width;
    const float error = dot(weight, x, width) + layer.bias[action[r]] - reward[r];
    const float g = factor * error;
    add_multiple(g, x, width, layer.weight_gradient + action[r] * width);
    layer.bias_gradient[action[r]] += g;
    for (std::size_t j = 0; j < width; ++j) delta[j] = x[j] > 0.0F ? g * weight[j] : 0.0F;
    loss += static_cast<double>(error) * static_cast<double>(error);
  }
  return loss;
}

void transpose(const float* weight, std::size_t inputs, std::size_t units, std::size_t width,
               std::size_t in_width, float* transposed) noexcept {
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t j = 0; j < units; ++j) {
      transposed[j * in_width + i] = weight[i * width + j];
    }
  }
}

void backward(const float* delta, std::size_t width, std::size_t units, const float* transposed,
              std::size_t in_width, const float* activation, std::size_t rows,
              float* delta_in) noexcept {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < in_width; ++i) delta_in[i] = 0.0F;
    for (std::size_t j = 0; j < units; ++j) {
      add_multiple(delta[j], transposed + j * in_width, in_width, delta_in);
    }
    for (std::size_t i = 0; i < in_width; ++i) {
      if (!(activation[i] > 0.0F)) delta_in[i] = 0.0F;
    }
    delta += width;
    activation += in_width;
    delta_in += in_width;
  }
}

void step_weight(float g, std::size_t place, const MlpParameters& parameters,
                 const OptimizerStep& step) noexcept {
  float& v = parameters.second[place];
  v = step.keep2 * v + (step.take2 * (g * g) + kMlpTiny);
  float direction = g;
  if (step.adam) {
    float& m = parameters.first[place];
    m = step.keep1 * m + step.take1 * g;
    direction = m;
  }
  const float root = step.adam ? step.scale2 * std::sqrt(v) : std::sqrt(v);
  parameters.weight[place] -= step.rate * direction / (root + step.epsilon);
}

// `rows_of(i, f)` calls f(row, value) for the non-zero elements of input i's column.
template <class RowsOf>
void update_layer(RowsOf&& rows_of, const float* delta, std::size_t rows, std::size_t inputs,
                  std::size_t width, const MlpParameters& parameters,
                  const OptimizerStep& step) noexcept {
  for (std::size_t i = 0; i <= inputs; ++i) {
    for (std::size_t j = 0; j < width; j += kMlpPad) {
      float g[kMlpPad] = {};
      const auto add = [&](std::size_t r, float value) {
        add_multiple(value, delta + r * width + j, kMlpPad, g);
      };
      if (i < inputs) {
        rows_of(i, add);
      } else {
        for (std::size_t r = 0; r < rows; ++r) add(r, 1.0F);
      }
      for (std::size_t lane = 0; lane < kMlpPad; ++lane) {
        step_weight(g[lane], i * width + j + lane, parameters, step);
      }
    }
  }
}

void update(const float* in, std::size_t stride, const float* delta, std::size_t rows,
            std::size_t inputs, std::size_t width, const MlpParameters& parameters,
            const OptimizerStep& step) noexcept {
  const auto rows_of = [&](std::size_t i, auto&& add) {
    for (std::size_t r = 0; r < rows; ++r) add(r, in[r * stride + i]);
  };
  update_layer(rows_of, delta, rows, inputs, width, parameters, step);
}

void sparse_update(const SparseLines& columns, const float* delta, std::size_t rows,
                   std::size_t inputs, std::size_t width, const MlpParameters& parameters,
                   const OptimizerStep& step) noexcept {
  const auto rows_of = [&](std::size_t i, auto&& add) {
    for (std::uint32_t k = columns.start[i]; k < columns.start[i + 1]; ++k) {
      add(columns.index[k], columns.value[k]);
    }
  };
  update_layer(rows_of, delta, rows, inputs, width, parameters, step);
}

void apply(const float* gradient, std::size_t size, const MlpParameters& parameters,
           const OptimizerStep& step) noexcept {
  for (std::size_t i = 0; i < size; ++i) step_weight(gradient[i], i, parameters, step);
}

}  // namespace

constinit const MlpKernel kMlpPortable{forward,  sparse_forward, sum_rows,  outputs,
                                       compress, output_errors,  transpose, backward,
                                       update,   sparse_update,  apply};

}  // namespace sau::detail
