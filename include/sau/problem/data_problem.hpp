#pragma once

#include <memory>

#include "sau/problem/problem.hpp"

namespace sau {

// A problem whose contexts are the rows of a file, in an order drawn for each trial; after the last
// row it starts over in the same order. All trials of the process share the prepared rows, and the
// cache folder keeps them for the next process. The problem inside decides what a row pays.
class DataProblem : public Problem {
 public:
  Shape shape() const override { return inside_->shape(); }
  RewardRange rewards() const override { return inside_->rewards(); }
  std::uint64_t default_steps() const override { return inside_->default_steps(); }
  std::string data() const override { return inside_->data(); }

  Context next(Rng& rng) override { return inside_->next(rng); }
  double pull(Action action, Rng& rng) override { return inside_->pull(action, rng); }
  double regret(Action action) const override { return inside_->regret(action); }

 protected:
  explicit DataProblem(std::unique_ptr<Problem> inside) : inside_(std::move(inside)) {}

 private:
  std::unique_ptr<Problem> inside_;
};

}  // namespace sau
