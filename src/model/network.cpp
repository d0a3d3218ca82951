#include "sau/model/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sau {

Network::Network(Shape shape, std::span<const std::size_t> hidden, bool adam, std::size_t batch,
                 Rng& rng, const MlpKernel& kernel)
    : kernel_(&kernel), dim_(shape.dim), actions_(shape.actions), output_(shape.actions) {
  const std::size_t rows = (batch + kMlpRows - 1) / kMlpRows * kMlpRows;
  std::size_t inputs = shape.dim, in_width = shape.dim, place = 0, widest = 0;
  for (const std::size_t units : hidden) {
    const std::size_t width = mlp_padded(units);
    layers_.push_back({.inputs = inputs,
                       .in_width = in_width,
                       .units = units,
                       .width = width,
                       .place = place,
                       .out = AlignedVector<float>(rows * width),
                       .delta = AlignedVector<float>(rows * width),
                       .transposed = {}});
    if (layers_.size() > 1) layers_.back().transposed.resize(units * in_width);
    place += (inputs + 1) * width;
    parameters_ += (inputs + 1) * units;
    widest = std::max(widest, width);
    inputs = units;
    in_width = width;
  }
  output_place_ = place;
  const std::size_t output_size = actions_ * in_width + mlp_padded(actions_);
  parameters_ += (inputs + 1) * actions_;
  weight_.resize(place + output_size);
  second_.resize(weight_.size());
  if (adam) first_.resize(weight_.size());
  output_gradient_.resize(output_size);
  row_.resize(widest);
  index_.resize(widest);
  value_.resize(widest);

  const auto draw = [&](float* to, std::size_t count, std::size_t fan_in) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(std::max<std::size_t>(fan_in, 1)));
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = static_cast<float>(bound * (2.0 * rng.uniform() - 1.0));
    }
  };
  for (const Layer& layer : layers_) {
    for (std::size_t i = 0; i <= layer.inputs; ++i) {
      draw(weight_.data() + layer.place + i * layer.width, layer.units, layer.inputs);
    }
  }
  for (std::size_t a = 0; a < actions_; ++a) {
    draw(weight_.data() + output_place_ + a * in_width, inputs, inputs);
  }
  draw(weight_.data() + output_place_ + actions_ * in_width, actions_, inputs);
}

std::span<const float> Network::forward(const NetworkInput& x) noexcept {
  // Row by row of the weights, for the inputs that are not 0: about half of a ReLU layer's are.
  std::span<const std::uint32_t> index = x.index();
  std::span<const float> value = x.value();
  for (const Layer& layer : layers_) {
    const std::uint32_t ends[2] = {0, static_cast<std::uint32_t>(index.size())};
    kernel_->sparse_forward({.start = ends, .index = index.data(), .value = value.data()}, 1,
                            layer.inputs, weight_.data() + layer.place, layer.width, row_.data());
    if (&layer == &layers_.back()) break;
    const std::size_t count =
        kernel_->compress(row_.data(), layer.units, index_.data(), value_.data());
    index = {index_.data(), count};
    value = {value_.data(), count};
  }
  const float* weight = weight_.data() + output_place_;
  kernel_->outputs(row_.data(), weight, weight + actions_ * last_width(), actions_, last_width(),
                   output_.data());
  return output_;
}

std::span<const float> Network::features() const noexcept {
  return {row_.data(), layers_.back().units};
}

double Network::output_errors(const Batch& batch) noexcept {
  Layer& last = layers_.back();
  const std::size_t weights = actions_ * last.width;
  std::ranges::fill(output_gradient_, 0.0F);
  const float* weight = weight_.data() + output_place_;
  const MlpOutput layer{.weight = weight,
                        .bias = weight + weights,
                        .weight_gradient = output_gradient_.data(),
                        .bias_gradient = output_gradient_.data() + weights};
  return kernel_->output_errors(last.out.data(), batch.size(), last.width, layer,
                                batch.action().data(), batch.reward().data(), last.delta.data());
}

double Network::train(const Batch& batch, const OptimizerStep& step) noexcept {
  const std::size_t rows = batch.rows();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    const float* weight = weight_.data() + layer.place;
    if (i > 0) {
      kernel_->forward(layers_[i - 1].out.data(), layer.in_width, rows, layer.inputs, weight,
                       layer.width, layer.out.data());
    } else if (batch.sparse()) {
      kernel_->sparse_forward(batch.by_row(), rows, layer.inputs, weight, layer.width,
                              layer.out.data());
    } else {
      kernel_->forward(batch.dense(), layer.in_width, rows, layer.inputs, weight, layer.width,
                       layer.out.data());
    }
  }
  const double loss = output_errors(batch);
  kernel_->apply(output_gradient_.data(), output_gradient_.size(), at(output_place_), step);
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Layer& layer = layers_[i];
    if (i > 0) {  // before the weights change
      Layer& below = layers_[i - 1];
      kernel_->transpose(weight_.data() + layer.place, layer.inputs, layer.units, layer.width,
                         layer.in_width, layer.transposed.data());
      kernel_->backward(layer.delta.data(), layer.width, layer.units, layer.transposed.data(),
                        layer.in_width, below.out.data(), rows, below.delta.data());
      kernel_->update(below.out.data(), layer.in_width, layer.delta.data(), rows, layer.inputs,
                      layer.width, at(layer.place), step);
    } else if (batch.sparse()) {
      kernel_->sparse_update(batch.by_column(), layer.delta.data(), rows, layer.inputs, layer.width,
                             at(layer.place), step);
    } else {
      kernel_->update(batch.dense(), layer.in_width, layer.delta.data(), rows, layer.inputs,
                      layer.width, at(layer.place), step);
    }
  }
  return loss / static_cast<double>(batch.size());
}

bool Network::finite() const noexcept {
  constexpr float kLargest = std::numeric_limits<float>::max();
  unsigned bad = 0;  // without a branch, so that it goes by vectors
  for (const float w : weight_) bad |= static_cast<unsigned>(!(std::abs(w) <= kLargest));
  for (const float v : second_) bad |= static_cast<unsigned>(!(v <= kLargest));
  return bad == 0;
}

}  // namespace sau
