#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sau/core/spec.hpp"
#include "sau/problem/placement.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

struct WheelOptions {
  double delta = 0.5;
  std::string best{kRandomPlace};
  void fields(auto&& field) {
    field("delta", delta, "radius up to which one action is the best everywhere",
          Bounds{.min = 0.0, .max = 1.0});
    field("best", best,
          "the action that is the best inside this radius: random, drawn for each trial, or its "
          "number, from 0");
  }
  void check() const;
  void place_first() {
    if (best == kRandomPlace) best = "0";
  }
};

// The wheel (Riquelme et al. 2018; Zhu & Rigotti 2021, appendix C). The context is uniform in the
// unit disc. One action pays 1.2 and the other four pay 1.0, but if |x| > delta the action of x's
// quadrant pays 50; every reward has an error of N(0, 0.01^2). Each trial draws which action is the
// one that pays 1.2; in the paper it is action 0. The others have the quadrants (+,+), (+,-), (-,+)
// and (-,-), in this order. Regret is against the best realised reward, so the errors of all five
// actions are drawn at every step: two uniform and five normal draws, whatever the action. The
// paper does not give the horizon; its Uniform rows match 2000 steps.
class Wheel final : public Problem {
 public:
  static constexpr std::string_view kName = "wheel";
  static constexpr std::string_view kSummary = "the wheel: rare contexts pay 50 (appendix C)";
  using Options = WheelOptions;

  explicit Wheel(const Stream& stream, const Options& options = {});

  // The noise is the same wherever the best action is.
  static Options stream_options(Options options) {
    options.best = kRandomPlace;
    return options;
  }

  Shape shape() const override { return {static_cast<Action>(reward_.size()), x_.size()}; }
  RewardRange rewards() const override { return {}; }
  std::uint64_t default_steps() const override { return 2'000; }

  Context next(Rng& rng) override;
  double pull(Action action, Rng&) override { return reward_[action]; }
  double regret(Action action) const override { return best_ - reward_[action]; }

 private:
  double delta_;
  Action inner_;       // the best action inside delta
  double best_ = 0.0;  // the largest of reward_
  std::array<double, 2> x_{};
  std::array<double, 5> reward_{};
};

}  // namespace sau
