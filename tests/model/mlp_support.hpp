#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/model/mlp.hpp"

namespace sau::mlp_test {

constexpr Action kActions = 3;
constexpr std::size_t kDim = 8;
inline const Setup kSetup{.shape = {.actions = kActions, .dim = kDim}, .stream = {.seed = 31}};

// A small network that is trained often.
inline MlpOptions options_of(Optimizer optimizer = Optimizer::kRmsprop, std::uint64_t history = 0) {
  return {.hidden = {12, 10},
          .optimizer = optimizer,
          .batch = 6,
          .every = 5,
          .start = 10,
          .updates = 3,
          .history = {history}};
}

// Dense and one-hot contexts, and rewards.
struct World {
  Context next() {
    if (rng.below(2) == 0) {
      std::fill_n(x, kDim, 0.0);
      x[rng.below(kDim)] = 1.0;
    } else {
      for (double& element : x) element = rng.normal();
    }
    return x;
  }
  Action action() { return static_cast<Action>(rng.below(kActions)); }
  double reward(Action action) { return std::abs(x[action]) + 0.1 * rng.normal(); }

  Rng rng{Stream{.seed = 8}};
  double x[kDim] = {};
};

inline void learn(Mlp& model, World& world, int steps) {
  for (int n = 0; n < steps; ++n) {
    const Context x = world.next();
    model.values(x);
    const Action action = world.action();
    model.update(x, action, world.reward(action));
  }
}

inline std::string bytes_of(const Mlp& model) {
  StateWriter writer;
  Mlp::state(model, writer);
  return writer.bytes();
}

inline void restore(Mlp& model, const std::string& bytes) {
  StateReader reader(bytes);
  Mlp::state(model, reader);
  reader.finish();
  model.restored();
}

inline std::vector<double> copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

}  // namespace sau::mlp_test
