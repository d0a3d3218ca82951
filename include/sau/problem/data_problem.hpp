#pragma once

#include <memory>

#include "sau/problem/problem.hpp"

namespace sau {

// A problem whose contexts are the rows of a file, in an order drawn anew each trial; after the
// last row it goes round again in the same order. The prepared rows are shared by all trials of the
// process and kept in the cache folder for the next one. What a row pays is the business of the
// problem inside.
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
