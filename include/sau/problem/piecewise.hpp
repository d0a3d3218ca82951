#pragma once

#include <string_view>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

struct PiecewiseOptions {
  std::vector<double> means{0.3, 0.7, 0.7, 0.3};
  std::vector<double> changes{1000.0};
  std::uint64_t over = 0;
  std::uint64_t steps = 0;
  bool repeat = false;
  void fields(auto&& field) {
    field("means", means, "success probability of every action, phase after phase",
          Bounds{.min = 0.0, .max = 1.0});
    field("changes", changes, "the steps after which the next phase begins, such as 1000x2000",
          Bounds{.min = 1.0, .max = 1e15});
    field("over", over, "steps that a change takes; 0: it is abrupt",
          Bounds{.min = 0.0, .max = 1e15});
    field("steps", steps, "horizon; 0: the last phase is as long as the others on average",
          Bounds{.min = 0.0, .max = 1e15});
    field("repeat", repeat, "after the last phase the first one begins again, as seasons do");
  }
  void check() const;
};

// Rewards 0 or 1 whose chances change at known steps: in phase k action a pays with probability
// means[k * actions + a]. With over > 0 the chances move in a straight line to those of the new
// phase. With repeat=true a trial that is longer than `steps` starts again. Regret is expected,
// against the best action of the step. A step takes one word of the generator whatever the action.
class Piecewise final : public Problem {
 public:
  static constexpr std::string_view kName = "piecewise";
  static constexpr std::string_view kSummary =
      "multi-armed problem, rewards 0 or 1, whose chances change at given steps";
  using Options = PiecewiseOptions;

  explicit Piecewise(const Stream& stream, const Options& options = {});

  Shape shape() const override { return {static_cast<Action>(now_.size()), 0}; }
  RewardRange rewards() const override { return {0.0, 1.0}; }
  std::uint64_t default_steps() const override { return period_; }

  Context next(Rng& rng) override;
  double pull(Action action, Rng&) override { return draw_ < now_[action] ? 1.0 : 0.0; }
  double regret(Action action) const override { return top_ - now_[action]; }

 private:
  void enter(std::uint64_t place);

  std::vector<double> means_;
  std::vector<std::uint64_t> start_;  // of every phase
  std::uint64_t over_, period_;
  bool repeat_;

  std::uint64_t step_ = 0;   // steps played
  std::uint64_t phase_ = 0;  // of the current step
  std::uint64_t until_ = 0;  // the chances stay as they are before this step
  std::vector<double> now_;  // chances of the current step
  double top_ = 0.0, draw_ = 0.0;
};

}  // namespace sau
