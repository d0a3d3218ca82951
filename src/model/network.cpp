#include "sau/model/network.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

// Draws initial weights.
void draw(Rng& rng, std::span<float> weights, std::size_t fan_in) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(std::max<std::size_t>(fan_in, 1)));
  for (float& weight : weights) {
    weight = static_cast<float>(bound * (2.0 * rng.uniform() - 1.0));
  }
}

}  // namespace

std::vector<std::size_t> layer_units(std::span<const double> hidden, std::size_t most) {
  if (hidden.empty() || hidden.size() > most) {
    throw UsageError("hidden: expected 1 to " + std::to_string(most) + " layers, found " +
                     std::to_string(hidden.size()));
  }
  constexpr double kMostWeights = 1e8;  // between two layers: 400 MB
  double before = 0.0;
  for (const double units : hidden) {
    if (!(units >= 1.0) || units != std::floor(units)) {
      throw UsageError("hidden: " + format_number(units) +
                       " is not allowed; expected a whole number");
    }
    if (before * units > kMostWeights) {
      throw UsageError("hidden: " + format_number(before) + "x" + format_number(units) +
                       " is not allowed; expected at most 1e8 weights between two layers");
    }
    before = units;
  }
  return {hidden.begin(), hidden.end()};
}

Network::Network(Shape shape, std::span<const std::size_t> hidden, Rng& rng,
                 const MlpKernel& kernel)
    : kernel_(&kernel), actions_(shape.actions) {
  std::size_t inputs = shape.dim, in_width = shape.dim;
  for (const std::size_t units : hidden) {
    const std::size_t width = mlp_padded(units);
    layers_.push_back({.inputs = inputs,
                       .in_width = in_width,
                       .units = units,
                       .width = width,
                       .place = output_place_});
    output_place_ += (inputs + 1) * width;
    inputs = units;
    in_width = width;
  }
  weight_.resize(output_place_ + actions_ * in_width + mlp_padded(actions_));
  each_run([&](std::size_t place, std::size_t count, std::size_t fan_in) {
    draw(rng, {weight_.data() + place, count}, fan_in);
  });
}

void Network::make_room(AlignedVector<float>& numbers, Action actions) const {
  if (numbers.empty()) return;
  // The biases follow the weights of all outputs, so they move up.
  const std::size_t width = layers_.back().width;
  const auto bias = [&](Action outputs) {
    return numbers.data() + output_place_ + outputs * width;
  };
  const std::vector<float> biases(bias(actions_), bias(actions_) + actions_);
  numbers.resize(output_place_ + actions * width + mlp_padded(actions));
  std::fill(bias(actions_), numbers.data() + numbers.size(), 0.0F);
  std::ranges::copy(biases, bias(actions));
}

void Network::grow(Action actions, Rng& rng) {
  make_room(weight_, actions);
  const Layer& last = layers_.back();
  float* outputs = weight_.data() + output_place_;
  for (Action a = actions_; a < actions; ++a) {
    draw(rng, {outputs + a * last.width, last.units}, last.units);
  }
  draw(rng, {outputs + actions * last.width + actions_, actions - actions_}, last.units);
  actions_ = actions;
}

void Network::rescale_outputs(double factor, double shift) noexcept {
  const std::size_t biases = output_place_ + actions_ * layers_.back().width;
  for (std::size_t i = output_place_; i < biases; ++i) {
    weight_[i] = static_cast<float>(factor * static_cast<double>(weight_[i]));
  }
  for (std::size_t a = 0; a < actions_; ++a) {
    weight_[biases + a] =
        static_cast<float>(factor * static_cast<double>(weight_[biases + a]) + shift);
  }
}

Network::Scratch::Scratch(const Network& network) : output_(network.actions()) {
  std::size_t widest = 0;
  for (const Layer& layer : network.layers()) widest = std::max(widest, layer.width);
  row_.resize(widest);
  index_.resize(widest);
  value_.resize(widest);
}

std::size_t Network::parameters() const noexcept {
  std::size_t result = 0;
  each_run([&](std::size_t, std::size_t count, std::size_t) { result += count; });
  return result;
}

std::span<const float> Network::forward(const NetworkInput& x, Scratch& scratch,
                                        std::size_t first) const noexcept {
  // Sums the weights' rows of the inputs that are not 0, about half of those from a ReLU layer.
  const Layer& layer = layers_.front();
  const std::uint32_t ends[2] = {0, static_cast<std::uint32_t>(x.index().size())};
  kernel_->sparse_forward({.start = ends, .index = x.index().data(), .value = x.value().data()}, 1,
                          layer.inputs - first, weight_.data() + first * layer.width, layer.width,
                          scratch.row_.data());
  return forward_rest(scratch);
}

std::span<const float> Network::forward_sum(Scratch& scratch) const noexcept {
  activate_first(scratch.row_.data());
  return forward_rest(scratch);
}

void Network::activate_first(float* sum) const noexcept {
  const float* bias = weight_.data();
  for (std::size_t j = 0; j < layers_.front().width; ++j) {
    const float x = sum[j] + bias[j];
    sum[j] = x < 0.0F ? 0.0F : x;  // NaN stays
  }
}

std::span<const float> Network::forward_rest(Scratch& scratch) const noexcept {
  float* row = scratch.row_.data();
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const std::uint32_t ends[2] = {
        0, static_cast<std::uint32_t>(
               kernel_->compress(row, layer.inputs, scratch.index_.data(), scratch.value_.data()))};
    kernel_->sparse_forward(
        {.start = ends, .index = scratch.index_.data(), .value = scratch.value_.data()}, 1,
        layer.inputs, weight_.data() + layer.place, layer.width, row);
  }
  const float* weight = weight_.data() + output_place_;
  const std::size_t width = layers_.back().width;
  kernel_->outputs(row, weight, weight + actions_ * width, actions_, width, scratch.output_.data());
  return scratch.output_;
}

}  // namespace sau
