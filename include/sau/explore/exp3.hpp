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

// The chances at step n, from minus the estimated losses.
inline void exp3_chances(std::span<const double> gain, double rate, double n,
                         std::span<double> out) noexcept {
  const auto actions = static_cast<double>(gain.size());
  softmax_chances(gain, 1.0 / (rate * std::sqrt(std::log(actions) / (n * actions))), out);
}

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
    gain_[action] -= weighed(reward, chance_[action]);
    ++rewards_;
    restored();
  }

  // If actions come and go by id, IdRecord::own is minus the estimated loss of the id, and
  // IdTotals::own is the loss that the agent itself had. An id that comes after every known id has
  // had kOpening rewards on average starts with the agent's loss, as if it had lost as much as the
  // agent did before. With no loss it would be played until it had lost as much as the others. An
  // id that comes earlier starts with no loss, as in a fixed set of actions.
  static constexpr bool kUsesProbability = true;
  static constexpr bool keeps_own() noexcept { return true; }
  static double own_width(const IdRecord* record, const IdTotals& totals) noexcept {
    if (record != nullptr) return record->own;
    return totals.learned < kOpening * (totals.ids + 1) ? 0.0 : -totals.own;
  }
  // This reward is number totals.learned, and a new id is not counted in totals.ids yet.
  static void observe_id(IdRecord& record, IdTotals& totals, const IdLesson& lesson) noexcept {
    if (record.count == 0) {
      record.own = own_width(nullptr, {totals.learned - 1, totals.ids, totals.own});
    }
    record.own -= weighed(lesson.reward, lesson.probability);
    totals.own += 1.0 - lesson.reward;
    record.squares += lesson.residual * lesson.residual;
  }

  static void state(auto& self, auto&& field) {
    field("gain", self.gain_);
    field("rewards", self.rewards_);
  }
  void restored() noexcept {
    exp3_chances(gain_, rate_, static_cast<double>(rewards_) + 1.0, chance_);
  }

 private:
  // Only an action whose reward is late can have a smaller chance. The limit just keeps the numbers
  // finite.
  static constexpr double kLeastChance = 1e-100;
  // In a fixed set of actions, one without a reward has the largest chance. The chance that it
  // still has none after this many rewards for each of the others is below exp(-64).
  static constexpr std::uint64_t kOpening = 64;

  static double weighed(double reward, double chance) noexcept {
    return (1.0 - reward) / std::max(chance, kLeastChance);
  }

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
      "EXP3: chances by importance-weighted losses, rewards in [0, 1]";
  static constexpr std::string_view kNeeds = "a model that ignores contexts";
  template <class M>
  static constexpr bool kFits = [] {
    if constexpr (requires { M::kUsesContext; }) return !M::kUsesContext;
    return false;
  }();
  static constexpr RewardRange kRewards{0.0, 1.0};
  using Options = Exp3Options;

  explicit Exp3(const Setup& setup, Options options = {})
      : options_(options), actions_(setup.shape.actions) {}

  ImportanceLosses evidence() const { return {actions_, options_.rate}; }

  void probabilities(const auto& offer, std::span<double> out) const noexcept {
    if constexpr (requires { offer.evidence().chance(); }) {
      std::ranges::copy(offer.evidence().chance(), out.begin());
    } else {
      exp3_chances(offer.evidence().width(), options_.rate, static_cast<double>(offer.step()), out);
    }
  }

 private:
  Options options_;
  Action actions_;
};

}  // namespace sau
