#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sau/core/types.hpp"
#include "sau/kernel/mlp_kernel.hpp"

namespace sau::testing {

// Steps that a network learns from, uncompressed.
struct PlainBatch {
  std::vector<std::vector<double>> x;
  std::vector<Action> action;
  std::vector<double> reward;
};

// A perceptron with ReLU layers, directly from the formulas, in double: one weight and one step of
// the batch at a time.
class NaiveMlp {
 public:
  // Takes the weights of a Network, in its layout.
  NaiveMlp(Shape shape, std::span<const std::size_t> hidden, std::span<const float> weights) {
    std::size_t inputs = shape.dim, first = 0;
    for (const std::size_t units : hidden) {
      const std::size_t width = mlp_padded(units);
      layers_.push_back({inputs, units, weight.size(), true});
      for (std::size_t j = 0; j < units; ++j) {
        for (std::size_t i = 0; i <= inputs; ++i) take(weights, first + i * width + j);
      }
      first += (inputs + 1) * width;
      inputs = units;
    }
    const std::size_t width = mlp_padded(inputs);
    layers_.push_back({inputs, shape.actions, weight.size(), false});
    for (std::size_t a = 0; a < shape.actions; ++a) {
      for (std::size_t i = 0; i < inputs; ++i) take(weights, first + a * width + i);
      take(weights, first + shape.actions * width + a);
    }
    m_.resize(weight.size());
    v_.resize(weight.size());
  }

  std::vector<double> outputs(std::span<const double> x) const { return layers_of(x).back(); }
  std::vector<double> features(std::span<const double> x) const {
    const auto layers = layers_of(x);
    return layers[layers.size() - 2];
  }

  // (1 / B) sum (out_a - r)^2, only over the chosen actions.
  double loss(const PlainBatch& batch) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < batch.x.size(); ++r) {
      sum += std::pow(outputs(batch.x[r])[batch.action[r]] - batch.reward[r], 2.0);
    }
    return sum / static_cast<double>(batch.x.size());
  }

  std::vector<double> gradient(const PlainBatch& batch) const {
    std::vector<double> result(weight.size());
    for (std::size_t r = 0; r < batch.x.size(); ++r) {
      const auto values = layers_of(batch.x[r]);
      std::vector<double> delta(values.back().size());
      const Action a = batch.action[r];
      delta[a] = 2.0 * (values.back()[a] - batch.reward[r]) / static_cast<double>(batch.x.size());
      for (std::size_t l = layers_.size(); l-- > 0;) {
        const Layer& layer = layers_[l];
        std::vector<double> below(layer.inputs);
        for (std::size_t j = 0; j < layer.units; ++j) {
          const double d = layer.relu && values[l + 1][j] <= 0.0 ? 0.0 : delta[j];
          for (std::size_t i = 0; i < layer.inputs; ++i) {
            result[layer.at(j, i)] += d * values[l][i];
            below[i] += d * weight[layer.at(j, i)];
          }
          result[layer.at(j, layer.inputs)] += d;
        }
        delta = below;
      }
    }
    return result;
  }

  // RMSprop as PyTorch defines it: alpha 0.99, epsilon 1e-8 outside the root.
  void rmsprop(const PlainBatch& batch, double rate) {
    const auto g = gradient(batch);
    for (std::size_t k = 0; k < weight.size(); ++k) {
      v_[k] = 0.99 * v_[k] + 0.01 * g[k] * g[k];
      weight[k] -= rate * g[k] / (std::sqrt(v_[k]) + 1e-8);
    }
  }

  // Kingma & Ba (2015), algorithm 1.
  void adam(const PlainBatch& batch, double rate) {
    const auto g = gradient(batch);
    ++t_;
    for (std::size_t k = 0; k < weight.size(); ++k) {
      m_[k] = 0.9 * m_[k] + 0.1 * g[k];
      v_[k] = 0.999 * v_[k] + 0.001 * g[k] * g[k];
      const double m = m_[k] / (1.0 - std::pow(0.9, t_));
      const double v = v_[k] / (1.0 - std::pow(0.999, t_));
      weight[k] -= rate * m / (std::sqrt(v) + 1e-8);
    }
  }

  std::vector<double> weight;
  std::vector<std::size_t> place;  // index of each weight in the Network

 private:
  struct Layer {
    std::size_t inputs, units, first;
    bool relu;
    std::size_t at(std::size_t unit, std::size_t input) const {
      return first + unit * (inputs + 1) + input;
    }
  };

  void take(std::span<const float> weights, std::size_t from) {
    weight.push_back(static_cast<double>(weights[from]));
    place.push_back(from);
  }

  // The input, every hidden layer and the outputs.
  std::vector<std::vector<double>> layers_of(std::span<const double> x) const {
    std::vector<std::vector<double>> values{{x.begin(), x.end()}};
    for (const Layer& layer : layers_) {
      std::vector<double> out(layer.units);
      for (std::size_t j = 0; j < layer.units; ++j) {
        double sum = weight[layer.at(j, layer.inputs)];
        for (std::size_t i = 0; i < layer.inputs; ++i) {
          sum += weight[layer.at(j, i)] * values.back()[i];
        }
        out[j] = layer.relu && sum < 0.0 ? 0.0 : sum;
      }
      values.push_back(out);
    }
    return values;
  }

  std::vector<Layer> layers_;
  std::vector<double> m_, v_;
  double t_ = 0.0;
};

}  // namespace sau::testing
