#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sau/explore/softmax.hpp"
#include "sau/explore/strategy.hpp"

namespace sau {

struct Exp3Options {
  double rate = 1.0;
  void fields(auto&& field) {
    field("rate", rate, "scale of the learning rate sqrt(ln K / (n K))",
          Bounds{.min = 0.0, .max = 1e6, .open = true});
  }
};

// The estimated losses of every action, and the chances that follow from them.
class ImportanceLosses {
 public:
  ImportanceLosses(std::size_t actions, double rate)
      : rate_(rate), gain_(actions), chance_(actions, 1.0 / static_cast<double>(actions)) {}

  std::size_t actions() const noexcept { return gain_.size(); }
  std::span<const double> chance() const noexcept { return chance_; }
  void describe(auto&& column) const {
    std::vector<double> loss(gain_);
    for (double& number : loss) number = 0.0 - number;
    column("loss", "estimated sum of losses", loss);
    column("chance", "of being chosen next", chance_);
  }

  // A reward came. Its loss is divided by the chance that the action has now, which is the one it
  // was drawn with unless the reward is late.
  void rewarded(Action action, double reward) noexcept {
    gain_[action] -= (1.0 - reward) / std::max(chance_[action], kLeastChance);
    ++rewards_;
    restored();
  }

  static void state(auto& self, auto&& field) {
    field("gain", self.gain_);
    field("rewards", self.rewards_);
  }
  void restored() noexcept {
    const auto actions = static_cast<double>(gain_.size());
    const double n = static_cast<double>(rewards_) + 1.0;
    softmax_chances(gain_, 1.0 / (rate_ * std::sqrt(std::log(actions) / (n * actions))), chance_);
  }

 private:
  // Only the action of a late reward can have less, so this keeps numbers finite and nothing else.
  static constexpr double kLeastChance = 1e-100;

  double rate_;
  std::vector<double> gain_;  // minus the estimated losses
  std::uint64_t rewards_ = 0;
  std::vector<double> chance_;
};

// EXP3 for problems without contexts and rewards in [0, 1] (Auer et al. 2002b), in the form without
// a horizon of Bubeck & Cesa-Bianchi (2012, theorem 3.1). With L_a the sum of (1 - r) / p_a over
// the rewards r of action a, p_a the chance with which it was played, it plays
//     a with probability p_a proportional to exp(-eta_n L_a),   eta_n = rate sqrt(ln K / (n K)).
class Exp3 {
 public:
  static constexpr std::string_view kName = "exp3";
  static constexpr std::string_view kSummary =
      "EXP3: chances by importance-weighted losses, rewards in [0, 1], fixed set of actions";
  static constexpr std::string_view kNeeds = "a model that ignores contexts";
  template <class M>
  static constexpr bool kFits = [] {
    if constexpr (requires { M::kUsesContext; }) return !M::kUsesContext;
    return false;
  }();
  static constexpr bool kByIds = false;
  static constexpr RewardRange kRewards{0.0, 1.0};
  using Options = Exp3Options;

  explicit Exp3(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  ImportanceLosses evidence() const { return {actions_, options_.rate}; }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    std::ranges::copy(offer.evidence().chance(), out.begin());
  }

 private:
  Options options_;
  Action actions_;
};

}  // namespace sau
