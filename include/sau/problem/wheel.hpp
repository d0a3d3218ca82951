#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "sau/core/spec.hpp"
#include "sau/problem/problem.hpp"

namespace sau {

struct WheelOptions {
  double delta = 0.5;
  void fields(auto&& field) {
    field("delta", delta, "radius up to which action 0 is the best",
          Bounds{.min = 0.0, .max = 1.0});
  }
};

// The wheel (Riquelme et al. 2018; Zhu & Rigotti 2021, appendix C). The context is uniform in the
// unit disc. Action 0 pays 1.2 and actions 1-4 pay 1.0, but if |x| > delta the action of x's
// quadrant, (+,+) 1, (+,-) 2, (-,+) 3, (-,-) 4, pays 50; every reward has an error of
// N(0, 0.01^2). Regret is against the best realised reward, so the errors of all five actions are
// drawn at every step: two uniform and five normal draws, whatever the action. The paper does not
// give the horizon; its Uniform rows match 2000 steps.
class Wheel final : public Problem {
 public:
  static constexpr std::string_view kName = "wheel";
  static constexpr std::string_view kSummary = "the wheel: rare contexts pay 50 (appendix C)";
  using Options = WheelOptions;

  explicit Wheel(const Stream&, Options options = {}) : delta_(options.delta) {}

  Shape shape() const override { return {static_cast<Action>(reward_.size()), x_.size()}; }
  RewardRange rewards() const override { return {}; }
  std::uint64_t default_steps() const override { return 2'000; }

  Context next(Rng& rng) override;
  double pull(Action action, Rng&) override { return reward_[action]; }
  double regret(Action action) const override { return best_ - reward_[action]; }

 private:
  double delta_;
  double best_ = 0.0;  // the largest of reward_
  std::array<double, 2> x_{};
  std::array<double, 5> reward_{};
};

}  // namespace sau
