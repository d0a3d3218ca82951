#pragma once

#include <cstdint>
#include <vector>

#include "sau/problem/problem.hpp"

namespace sau::testing {

// A problem of any shape with rewards from 0 to 1. A step takes dim + 1 words for every action.
class TestProblem final : public Problem {
 public:
  explicit TestProblem(Shape shape) : shape_(shape), x_(shape.dim) {}

  Shape shape() const override { return shape_; }
  RewardRange rewards() const override { return {0.0, 1.0}; }
  std::uint64_t default_steps() const override { return 1000; }

  Context next(Rng& rng) override {
    for (double& xi : x_) xi = rng.uniform();
    return x_;
  }
  double pull(Action action, Rng& rng) override { return rng.uniform() * (1.0 - regret(action)); }
  double regret(Action action) const override {
    return 0.5 * static_cast<double>(action) / static_cast<double>(shape_.actions);
  }

 private:
  Shape shape_;
  std::vector<double> x_;
};

// Keeps every step of a trial.
struct StepLog {
  std::vector<Action> actions;
  std::vector<double> rewards, regrets;

  bool step(Action action, double reward, double regret) {
    actions.push_back(action);
    rewards.push_back(reward);
    regrets.push_back(regret);
    return true;
  }
  bool operator==(const StepLog&) const = default;
};

}  // namespace sau::testing
