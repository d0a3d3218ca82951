#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "sau/core/types.hpp"
#include "sau/evaluate/intervals.hpp"
#include "sau/evaluate/logged_choice.hpp"
#include "sau/evaluate/mean_sequence.hpp"

namespace sau {

// The reward model's predictions m for one decision, as the bets of the intervals use them. Every m
// is cut so that w m stays within a limit. Here are the mean of m under the policy, its mean under
// the logged policy, and m of the chosen action. The numbers called `up` are the same for 1 - m.
// Rewards are scaled to [0, 1].
struct CutPredictions {
  double of_policy = 0.0, of_logged = 0.0, at_chosen = 0.0;
  double of_policy_up = 0.0, of_logged_up = 0.0, at_chosen_up = 0.0;
};

// The reward model helps a bet only as far as w m stays below a limit, which must be fixed in
// advance. A small limit costs little if the model is bad; a large one lets the model help where
// weights are large. So the money is spread over several limits. 0 is plain ips.
inline constexpr std::array kPredictionLimits = {0.0, 1.0, 4.0, 16.0};

// One for each limit, or for the first alone if there are no predictions. Where the policy plays
// actions that the log could not choose, m is 0: the interval only gets wider. The span is valid
// until the same thread calls this again.
std::span<const CutPredictions> cut_predictions(const LoggedChoice& choice,
                                                std::span<const double> policy,
                                                std::span<const double> predicted,
                                                const RewardRange& rewards, bool predicts);

// How much more a policy earns than the one that made the log, per decision, and the evidence for
// it: all that a gate needs. It can be saved and loaded.
class GainScore {
 public:
  // `predicts`: there is a reward model.
  GainScore(const RewardRange& rewards, bool predicts);

  // As PolicyScore::add().
  void add(const LoggedChoice& choice, std::span<const double> policy,
           std::span<const double> predicted);
  // The same, with cut_predictions() of the decision.
  void add(const LoggedChoice& choice, std::span<const double> policy,
           std::span<const double> predicted, std::span<const CutPredictions> cut);

  // A decision whose chance is unknown: counts for value() alone.
  void add_unweighed(double gain, double importance) noexcept {
    ++count_;
    total_ += importance;
    mean_ += importance * (gain - mean_) / total_;
  }

  std::uint64_t decisions() const noexcept { return count_; }
  // NaN before the first decision.
  double value() const noexcept { return count_ == 0 ? kUndefined : mean_; }
  // Holds at every moment at once, for the mean over all decisions so far.
  Interval anytime(double alpha) const;
  // Logarithm of the evidence that the gain is above `margin` (in units of the reward), or, with
  // `worse`, that it is below -margin: at log(1/alpha) it is enough for that alpha, and at
  // log(2/alpha) the end of anytime(alpha) passes the margin.
  double evidence(double margin, bool worse) const noexcept;

  static void state(auto& self, auto&& field) {
    field("gain_decisions", self.count_);
    // What is saved comes from a service, where every decision has the importance 1.
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(self)>>) {
      self.total_ = static_cast<double>(self.count_);
    }
    field("gain_mean", self.mean_);
    LowerMeanSequence::state(self.more_, field);
    LowerMeanSequence::state(self.less_, field);
  }

 private:
  RewardRange rewards_;
  bool predicts_;
  std::uint64_t count_ = 0;
  double mean_ = 0.0, total_ = 0.0;  // of the gains; of their importances
  LowerMeanSequence more_, less_;    // of the gain, and of its negative
};

}  // namespace sau
