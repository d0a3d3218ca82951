#pragma once

#include <utility>

#include "kernel/mlp_kernels.hpp"

// The kernels for any vector unit, written once over a class V of its operations (load, fma, ...).
// Included by one source file per unit, which is compiled with that unit's flags. Everything
// defined here must stay inside that file (hence the unnamed namespace), and no standard header
// with inline functions may be included. Otherwise the linker might take a copy that not every
// processor can run.
//
// A product is computed in tiles of kMlpRows rows by up to three vectors, whose sums stay in
// registers: twelve sums, enough for two multiply-adds per cycle, from seven loads. What follows a
// product (ReLU, its mask, the optimiser) is done on the tile before it leaves the registers.

namespace sau::detail {
namespace {

template <class V, std::size_t R, std::size_t C>
struct Tile {
  typename V::Reg sum[R][C];
};

// Calls f.operator()<V, C>(column) for tiles of C <= kMost vectors that cover the columns up to
// `width`, as evenly as possible: one vector alone would wait for its own sums.
template <class V, std::size_t kMost, class F>
inline void for_tiles(std::size_t width, F&& f) noexcept {
  std::size_t column = 0, left = width / V::kLanes;
  const auto go = [&]<std::size_t C>(std::size_t size) {
    if (size != C) return false;
    f.template operator()<V, C>(column);
    return true;
  };
  for (std::size_t tiles = (left + kMost - 1) / kMost; tiles > 0; --tiles) {
    const std::size_t size = (left + tiles - 1) / tiles;
    [&]<std::size_t... C>(std::index_sequence<C...>) {
      static_cast<void>((go.template operator()<C + 1>(size) || ...));
    }
    (std::make_index_sequence<kMost>());
    column += size * V::kLanes;
    left -= size;
  }
  // Layers are padded to eight units: a vector of sixteen may leave half of one.
  if constexpr (V::kLanes > kMlpPad) {
    if (column < width) f.template operator()<typename V::Half, 1>(column);
  }
}
constexpr std::size_t kDenseTile = 3;    // with kMlpRows rows, twelve sums
constexpr std::size_t kSparseTile = 13;  // for one row

// sum[r][c] += a(r, k) * b(k, c) over `depth` values of k. Row r and step k of `a` are a_row and
// a_step floats apart.
template <class V, std::size_t R, std::size_t C>
inline void multiply(const float* a, std::size_t a_row, std::size_t a_step, const float* b,
                     std::size_t b_step, std::size_t depth, Tile<V, R, C>& tile) noexcept {
  for (std::size_t k = 0; k < depth; ++k, a += a_step, b += b_step) {
    typename V::Reg column[C];
#pragma GCC unroll 16
    for (std::size_t c = 0; c < C; ++c) column[c] = V::load(b + c * V::kLanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) {
      const typename V::Reg row = V::set(a[r * a_row]);
#pragma GCC unroll 16
      for (std::size_t c = 0; c < C; ++c) tile.sum[r][c] = V::fma(row, column[c], tile.sum[r][c]);
    }
  }
}

template <class V, std::size_t R, std::size_t C>
inline Tile<V, R, C> zeros() noexcept {
  Tile<V, R, C> tile;
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < C; ++c) tile.sum[r][c] = V::zero();
  }
  return tile;
}

template <class U>
void forward(const float* in, std::size_t stride, std::size_t rows, std::size_t inputs,
             const float* weight, std::size_t width, float* out) noexcept {
  for_tiles<U, kDenseTile>(width, [&]<class V, std::size_t C>(std::size_t column) {
    const float* bias = weight + inputs * width + column;
    for (std::size_t r = 0; r < rows; r += kMlpRows) {
      Tile<V, kMlpRows, C> tile;
#pragma GCC unroll 16
      for (std::size_t i = 0; i < kMlpRows; ++i) {
#pragma GCC unroll 16
        for (std::size_t c = 0; c < C; ++c) tile.sum[i][c] = V::load(bias + c * V::kLanes);
      }
      multiply(in + r * stride, stride, 1, weight + column, width, inputs, tile);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < kMlpRows; ++i) {
        float* to = out + (r + i) * width + column;
#pragma GCC unroll 16
        for (std::size_t c = 0; c < C; ++c) {
          V::store(to + c * V::kLanes, V::max(V::zero(), tile.sum[i][c]));
        }
      }
    }
  });
}

template <class V, std::size_t C>
inline void add_row(const float* row, float value, Tile<V, 1, C>& tile) noexcept {
  const typename V::Reg factor = V::set(value);
#pragma GCC unroll 16
  for (std::size_t c = 0; c < C; ++c) {
    tile.sum[0][c] = V::fma(factor, V::load(row + c * V::kLanes), tile.sum[0][c]);
  }
}

// sum += the lines' elements from `begin` to `end` times the rows they name.
template <class V, std::size_t C>
inline void add_rows(const SparseLines& lines, std::uint32_t begin, std::uint32_t end,
                     const float* rows, std::size_t width, Tile<V, 1, C>& tile) noexcept {
  for (std::uint32_t k = begin; k < end; ++k) {
    add_row(rows + lines.index[k] * width, lines.value[k], tile);
  }
}

template <class U>
void sparse_forward(const SparseLines& in, std::size_t rows, std::size_t inputs,
                    const float* weight, std::size_t width, float* out) noexcept {
  for_tiles<U, kSparseTile>(width, [&]<class V, std::size_t C>(std::size_t column) {
    const float* bias = weight + inputs * width + column;
    for (std::size_t r = 0; r < rows; ++r) {
      Tile<V, 1, C> tile;
#pragma GCC unroll 16
      for (std::size_t c = 0; c < C; ++c) tile.sum[0][c] = V::load(bias + c * V::kLanes);
      add_rows(in, in.start[r], in.start[r + 1], weight + column, width, tile);
#pragma GCC unroll 16
      for (std::size_t c = 0; c < C; ++c) {
        V::store(out + r * width + column + c * V::kLanes, V::max(V::zero(), tile.sum[0][c]));
      }
    }
  });
}

template <class U>
void sum_rows(const float* const* row, const float* value, std::size_t count, std::size_t width,
              float* sum) noexcept {
  for_tiles<U, kSparseTile>(width, [&]<class V, std::size_t C>(std::size_t column) {
    Tile<V, 1, C> tile;
#pragma GCC unroll 16
    for (std::size_t c = 0; c < C; ++c) tile.sum[0][c] = V::load(sum + column + c * V::kLanes);
    for (std::size_t k = 0; k < count; ++k) add_row(row[k] + column, value[k], tile);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < C; ++c) V::store(sum + column + c * V::kLanes, tile.sum[0][c]);
  });
}

template <class V>
inline float dot(const float* a, const float* b, std::size_t size) noexcept {
  typename V::Reg even = V::zero(), odd = V::zero();
  std::size_t i = 0;
  for (; i + 2 * V::kLanes <= size; i += 2 * V::kLanes) {
    even = V::fma(V::load(a + i), V::load(b + i), even);
    odd = V::fma(V::load(a + i + V::kLanes), V::load(b + i + V::kLanes), odd);
  }
  for (; i + V::kLanes <= size; i += V::kLanes) even = V::fma(V::load(a + i), V::load(b + i), even);
  const float sum = V::sum(V::add(even, odd));
  if constexpr (V::kLanes > kMlpPad) {
    if (i < size) return sum + dot<typename V::Half>(a + i, b + i, size - i);
  }
  return sum;
}

template <class V>
void outputs(const float* x, const float* weight, const float* bias, std::size_t count,
             std::size_t width, float* out) noexcept {
  for (std::size_t k = 0; k < count; ++k) out[k] = dot<V>(weight + k * width, x, width) + bias[k];
}

template <class U>
double output_errors(const float* x, std::size_t count, std::size_t width, const MlpOutput& layer,
                     const std::uint32_t* action, const float* reward, float* delta) noexcept {
  double loss = 0.0;
  const float factor = 2.0F / static_cast<float>(count);
  for (std::size_t r = 0; r < count; ++r, x += width, delta += width) {
    const float* weight = layer.weight + action[r] * width;
    float* gradient = layer.weight_gradient + action[r] * width;
    const float error = dot<U>(weight, x, width) + layer.bias[action[r]] - reward[r];
    const float g = factor * error;
    layer.bias_gradient[action[r]] += g;
    for_tiles<U, kDenseTile>(width, [&]<class V, std::size_t C>(std::size_t column) {
      const typename V::Reg factors = V::set(g);
#pragma GCC unroll 16
      for (std::size_t c = 0; c < C; ++c) {
        const std::size_t j = column + c * V::kLanes;
        const typename V::Reg unit = V::load(x + j);
        V::store(gradient + j, V::fma(factors, unit, V::load(gradient + j)));
        V::store(delta + j, V::where_positive(unit, V::mul(factors, V::load(weight + j))));
      }
    });
    loss += static_cast<double>(error) * static_cast<double>(error);
  }
  return loss;
}

template <class U>
void backward(const float* delta, std::size_t width, std::size_t units, const float* transposed,
              std::size_t in_width, const float* activation, std::size_t rows,
              float* delta_in) noexcept {
  for_tiles<U, kDenseTile>(in_width, [&]<class V, std::size_t C>(std::size_t column) {
    for (std::size_t r = 0; r < rows; r += kMlpRows) {
      Tile<V, kMlpRows, C> tile = zeros<V, kMlpRows, C>();
      multiply(delta + r * width, width, 1, transposed + column, in_width, units, tile);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < kMlpRows; ++i) {
        const std::size_t row = (r + i) * in_width + column;
#pragma GCC unroll 16
        for (std::size_t c = 0; c < C; ++c) {
          const std::size_t j = row + c * V::kLanes;
          V::store(delta_in + j, V::where_positive(V::load(activation + j), tile.sum[i][c]));
        }
      }
    }
  });
}

// Moves one vector of weights down its gradient, with exact square root and division: approximate
// ones drift away within some hundred updates.
template <class V, bool kAdam>
inline void step_weights(typename V::Reg g, std::size_t place, const MlpParameters& parameters,
                         const OptimizerStep& step) noexcept {
  using Reg = typename V::Reg;
  float* second = parameters.second + place;
  const Reg fresh = V::add(V::mul(V::set(step.take2), V::mul(g, g)), V::set(kMlpTiny));
  const Reg v = V::fma(V::set(step.keep2), V::load(second), fresh);
  V::store(second, v);
  Reg root = V::sqrt(v);
  if constexpr (kAdam) {
    float* first = parameters.first + place;
    g = V::fma(V::set(step.keep1), V::load(first), V::mul(V::set(step.take1), g));
    V::store(first, g);
    root = V::mul(V::set(step.scale2), root);
  }
  float* weight = parameters.weight + place;
  const Reg move = V::div(V::mul(V::set(step.rate), g), V::add(root, V::set(step.epsilon)));
  V::store(weight, V::sub(V::load(weight), move));
}

template <bool kAdam, class V, std::size_t R, std::size_t C>
inline void step_tile(const Tile<V, R, C>& gradient, std::size_t place, std::size_t width,
                      const MlpParameters& parameters, const OptimizerStep& step) noexcept {
#pragma GCC unroll 16
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < C; ++c) {
      step_weights<V, kAdam>(gradient.sum[r][c], place + r * width + c * V::kLanes, parameters,
                             step);
    }
  }
}

// The bias row's gradient is the sum of delta's rows.
template <bool kAdam, class V, std::size_t C>
inline void update_bias(const float* delta, std::size_t rows, std::size_t inputs, std::size_t width,
                        std::size_t column, const MlpParameters& parameters,
                        const OptimizerStep& step) noexcept {
  Tile<V, 1, C> sums = zeros<V, 1, C>();
  for (std::size_t r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < C; ++c) {
      sums.sum[0][c] = V::add(sums.sum[0][c], V::load(delta + r * width + column + c * V::kLanes));
    }
  }
  step_tile<kAdam>(sums, inputs * width + column, width, parameters, step);
}

template <class U, bool kAdam>
void update_dense(const float* in, std::size_t stride, const float* delta, std::size_t rows,
                  std::size_t inputs, std::size_t width, const MlpParameters& parameters,
                  const OptimizerStep& step) noexcept {
  for_tiles<U, kDenseTile>(width, [&]<class V, std::size_t C>(std::size_t column) {
    const auto go = [&]<std::size_t R>(std::size_t i) {
      Tile<V, R, C> tile = zeros<V, R, C>();
      multiply(in + i, 1, stride, delta + column, width, rows, tile);
      step_tile<kAdam>(tile, i * width + column, width, parameters, step);
    };
    std::size_t i = 0;
    for (; i + kMlpRows <= inputs; i += kMlpRows) go.template operator()<kMlpRows>(i);
    switch (inputs - i) {
      case 3:
        go.template operator()<3>(i);
        break;
      case 2:
        go.template operator()<2>(i);
        break;
      case 1:
        go.template operator()<1>(i);
        break;
      default:
        break;
    }
    update_bias<kAdam, V, C>(delta, rows, inputs, width, column, parameters, step);
  });
}

template <class U, bool kAdam>
void update_sparse(const SparseLines& columns, const float* delta, std::size_t rows,
                   std::size_t inputs, std::size_t width, const MlpParameters& parameters,
                   const OptimizerStep& step) noexcept {
  for_tiles<U, kSparseTile>(width, [&]<class V, std::size_t C>(std::size_t column) {
    for (std::size_t i = 0; i < inputs; ++i) {
      const std::uint32_t begin = columns.start[i], end = columns.start[i + 1];
      if (!kAdam && begin == end) {  // no gradient: RMSprop only decays v
#pragma GCC unroll 16
        for (std::size_t c = 0; c < C; ++c) {
          float* second = parameters.second + i * width + column + c * V::kLanes;
          V::store(second, V::fma(V::set(step.keep2), V::load(second), V::set(kMlpTiny)));
        }
        continue;
      }
      Tile<V, 1, C> tile = zeros<V, 1, C>();
      add_rows(columns, begin, end, delta + column, width, tile);
      step_tile<kAdam>(tile, i * width + column, width, parameters, step);
    }
    update_bias<kAdam, V, C>(delta, rows, inputs, width, column, parameters, step);
  });
}

template <class U>
void update(const float* in, std::size_t stride, const float* delta, std::size_t rows,
            std::size_t inputs, std::size_t width, const MlpParameters& parameters,
            const OptimizerStep& step) noexcept {
  const auto run = step.adam ? update_dense<U, true> : update_dense<U, false>;
  run(in, stride, delta, rows, inputs, width, parameters, step);
}

template <class U>
void sparse_update(const SparseLines& columns, const float* delta, std::size_t rows,
                   std::size_t inputs, std::size_t width, const MlpParameters& parameters,
                   const OptimizerStep& step) noexcept {
  const auto run = step.adam ? update_sparse<U, true> : update_sparse<U, false>;
  run(columns, delta, rows, inputs, width, parameters, step);
}

template <class U, bool kAdam>
void apply_all(const float* gradient, std::size_t size, const MlpParameters& parameters,
               const OptimizerStep& step) noexcept {
  for_tiles<U, kDenseTile>(size, [&]<class V, std::size_t C>(std::size_t column) {
#pragma GCC unroll 16
    for (std::size_t c = 0; c < C; ++c) {
      const std::size_t place = column + c * V::kLanes;
      step_weights<V, kAdam>(V::load(gradient + place), place, parameters, step);
    }
  });
}

template <class U>
void apply(const float* gradient, std::size_t size, const MlpParameters& parameters,
           const OptimizerStep& step) noexcept {
  (step.adam ? apply_all<U, true> : apply_all<U, false>)(gradient, size, parameters, step);
}

// Square by square, each with as many rows as a vector has elements and transposed in registers;
// the edges element by element.
template <class U>
void transpose(const float* weight, std::size_t inputs, std::size_t units, std::size_t width,
               std::size_t in_width, float* transposed) noexcept {
  using V = typename U::Square;
  const std::size_t whole_inputs = inputs / V::kLanes * V::kLanes;
  const std::size_t whole_units = units / V::kLanes * V::kLanes;
  for (std::size_t i = 0; i < whole_inputs; i += V::kLanes) {
    for (std::size_t j = 0; j < whole_units; j += V::kLanes) {
      V::turn(weight + i * width + j, width, transposed + j * in_width + i, in_width);
    }
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t j = i < whole_inputs ? whole_units : 0; j < units; ++j) {
      transposed[j * in_width + i] = weight[i * width + j];
    }
  }
}

template <class U>
constexpr MlpKernel vector_kernel() noexcept {
  return {forward<U>, sparse_forward<U>, sum_rows<U>,  outputs<U>,
          compress,   output_errors<U>,  transpose<U>, backward<U>,
          update<U>,  sparse_update<U>,  apply<U>};
}

}  // namespace
}  // namespace sau::detail
