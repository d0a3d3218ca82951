#include "sau/model/gradient_covariance.hpp"

#include <algorithm>
#include <cmath>

namespace sau {

GradientCovariance::GradientCovariance(const Network& network, double lambda)
    : lambda_(lambda),
      share_(1.0 / static_cast<double>(network.layers().back().units)),
      inverse_(network.weights().size(), static_cast<float>(1.0 / lambda)),
      last_squares_(network.layers().back().width) {
  for (const Network::Layer& layer : network.layers()) {
    Row row;
    row.index.resize(std::max(layer.inputs, layer.in_width));
    row.value.resize(row.index.size());
    row.out.resize(layer.width);
    row.delta.resize(layer.width);
    row.squares.resize(layer.width);
    rows_.push_back(std::move(row));
  }
}

void GradientCovariance::look(const Network& network, const NetworkInput& x,
                              std::size_t first) noexcept {
  const MlpKernel& kernel = network.kernel();
  const float* weight = network.weights().data();
  first_ = first;
  rows_.front().count = x.index().size();
  std::ranges::copy(x.index(), rows_.front().index.begin());
  std::ranges::copy(x.value(), rows_.front().value.begin());
  for (std::size_t l = 0; l < rows_.size(); ++l) {
    const Network::Layer& layer = network.layers()[l];
    Row& row = rows_[l];
    const std::size_t start = l == 0 ? first : 0;
    if (l > 0) {
      row.count = kernel.compress(rows_[l - 1].out.data(), layer.inputs, row.index.data(),
                                  row.value.data());
    }
    const std::uint32_t ends[2] = {0, static_cast<std::uint32_t>(row.count)};
    kernel.sparse_forward({.start = ends, .index = row.index.data(), .value = row.value.data()}, 1,
                          layer.inputs - start, weight + layer.place + start * layer.width,
                          layer.width, row.out.data());
  }
  const auto share = static_cast<float>(share_);
  const AlignedVector<float>& last = rows_.back().out;
  for (std::size_t j = 0; j < last.size(); ++j) last_squares_[j] = share * last[j] * last[j];
}

void GradientCovariance::backward(const Network& network, Action output) noexcept {
  const float* weight = network.weights().data();
  const float* own = weight + network.output_place() + output * network.layers().back().width;
  const auto share = static_cast<float>(share_);
  for (std::size_t l = rows_.size(); l-- > 0;) {
    Row& row = rows_[l];
    if (l + 1 == rows_.size()) {
      for (std::size_t j = 0; j < row.out.size(); ++j)
        row.delta[j] = row.out[j] > 0.0F ? own[j] : 0.0F;
    } else {
      // The units that are not 0 are the inputs of the layer above.
      const Row& above = rows_[l + 1];
      const Network::Layer& layer = network.layers()[l + 1];
      constexpr float kZero = 0.0F;
      std::ranges::fill(row.delta, 0.0F);
      for (std::size_t k = 0; k < above.count; ++k) {
        network.kernel().outputs(above.delta.data(),
                                 weight + layer.place + above.index[k] * layer.width, &kZero, 1,
                                 layer.width, &row.delta[above.index[k]]);
      }
    }
    for (std::size_t j = 0; j < row.delta.size(); ++j) {
      row.squares[j] = share * row.delta[j] * row.delta[j];
    }
  }
}

template <class F>
void GradientCovariance::each_row(const Network& network, Action output, F&& f) noexcept {
  backward(network, output);
  const std::span<const Network::Layer> layers = network.layers();
  for (std::size_t l = 0; l < rows_.size(); ++l) {
    const Row& row = rows_[l];
    const std::size_t start = l == 0 ? first_ : 0, width = layers[l].width;
    for (std::size_t k = 0; k < row.count; ++k) {
      f(layers[l].place + (start + row.index[k]) * width, width, row.value[k] * row.value[k],
        row.squares.data());
    }
    f(layers[l].place + layers[l].inputs * width, width, 1.0F, row.squares.data());  // biases
  }
  const std::size_t width = layers.back().width;
  f(network.output_place() + output * width, width, 1.0F, last_squares_.data());
  const auto share = static_cast<float>(share_);
  f(network.output_place() + network.actions() * width + output, 1, 1.0F, &share);
}

double GradientCovariance::width(const Network& network, Action output) noexcept {
  double sum = 0.0;
  each_row(network, output,
           [&](std::size_t place, std::size_t width, float input, const float* squares) {
             constexpr float kZero = 0.0F;
             float dot = 0.0F;
             if (width == 1) {
               dot = inverse_[place] * squares[0];
             } else {
               network.kernel().outputs(squares, inverse_.data() + place, &kZero, 1, width, &dot);
             }
             sum += static_cast<double>(input) * static_cast<double>(dot);
           });
  const double width = std::sqrt(lambda_ * sum);
  return std::isfinite(width) ? width : 0.0;
}

void GradientCovariance::add(const Network& network, Action output) noexcept {
  each_row(network, output,
           [&](std::size_t place, std::size_t width, float input, const float* squares) {
             float* v = inverse_.data() + place;
             for (std::size_t j = 0; j < width; ++j) {
               const float next = v[j] / (1.0F + v[j] * (input * squares[j]));
               v[j] = next >= 0.0F ? next : v[j];  // a gradient that is not finite adds nothing
             }
           });
}

void GradientCovariance::grow(const Network& network, Action actions) {
  network.make_room(inverse_, actions);
  const std::size_t width = network.layers().back().width;
  const auto fresh = static_cast<float>(1.0 / lambda_);
  float* output = inverse_.data() + network.output_place();
  std::fill(output + network.actions() * width, output + actions * width, fresh);
  std::fill(output + actions * width + network.actions(), inverse_.data() + inverse_.size(), fresh);
}

}  // namespace sau
