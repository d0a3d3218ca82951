#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sau/core/types.hpp"
#include "sau/model/stacking.hpp"

namespace sau {

// How far to believe each of several opinions on the value of an action, judged by their errors. An
// error is honest: it is measured before anybody learned from the reward. With f_k the opinion on
// the action that was played, and r the reward,
//     e_k = r - f_k, where f_k is first clipped to the range of the rewards so far (0 before the
//     first one, when an opinion has no unit yet);
//     L_k <- L_k n/(n+1) + e_k^2 + 0.01 r^2,   N = (n+1)/2 once n rewards have come,
// so that old errors count less. There is one L_k over all actions and, if the actions are a fixed
// set, one L_ka per action, with N_a. The value of an action is the mean of the opinions on it,
// with weights
//     w_ka ~ sqrt(s_k) (L_ka / min_j L_ja)^-p(N_a) (L_k / min_j L_j)^-p(N),   p(N) = q(N) / 2,
//     q(N) = min(10, sqrt N),   s_k the mixture with the smallest squared error (Stacking).
// Losses alone cannot tell small errors from the noise of the rewards, and stacking alone believes
// one opinion too soon. If all w_ka of an action are 0, they are taken without s_k. If the actions
// are not a fixed set, only the losses count: w_k ~ (L_k / min_j L_j)^-q(N).
//
// The disagreement D_a is their standard deviation with other weights. These are the same for every
// action, and errors that are small compared with the rewards do not lower them much:
//     v_k ~ ((L_k + 0.1 R) / min_j (L_j + 0.1 R))^-sqrt N,   R = the sum of r^2, faded as L_k is.
// If opinions come with a novelty h_ka (NoveltyModel), D_a is the deviation of a mixture, in which
// opinion k is not a number but a distribution with the variance h_ka L_k / N (the law of total
// variance):
//     D_a^2 = sum_k v_k ((f_ka - mean)^2 + h_ka L_k / N) / sum_k v_k.
// Nothing here depends on the unit: if every reward and opinion is multiplied by c, so are value
// and disagreement.
class Credibility {
 public:
  // actions = 0: they are not a fixed set, so there is no L_ka.
  Credibility(std::size_t opinions, std::size_t actions);

  std::size_t opinions() const noexcept { return loss_.size(); }
  std::uint64_t rewards() const noexcept { return count_; }

  // A reward came. `opinion` has each opinion on the action that was played.
  void observe(Action action, std::span<const double> opinion, double reward) noexcept;

  // Never believes opinion k again.
  void leave_out(std::size_t k) noexcept;
  bool left_out(std::size_t k) const noexcept { return out_[k] != 0; }

  // Clips opinions to the range of the rewards so far.
  void clip(std::span<double> opinion) const noexcept;

  // Value and disagreement of every action. `opinion` is opinions x actions, row-major, and so is
  // `novelty`, which may be empty: then every h_ka is 0. An opinion that is not finite does not
  // count. An action on which no opinion counts has the value 0.
  void judge(std::span<const double> opinion, std::span<const double> novelty,
             std::span<double> value, std::span<double> disagreement) const noexcept;

  // The share of every opinion in the value of an action; of any action if they are not a fixed
  // set.
  std::vector<double> shares(Action action) const;
  // The share averaged over the actions, by how often each was rewarded.
  std::vector<double> mean_shares() const;

  static void state(auto& self, auto&& field) {
    field("opinion_losses", self.loss_);
    field("opinion_losses_by_action", self.action_loss_);
    field("opinion_rewards", self.count_);
    field("opinion_rewards_by_action", self.action_count_);
    field("opinion_reward_squares", self.reward_squares_);
    field("opinion_lowest", self.lowest_);
    field("opinion_highest", self.highest_);
    field("opinions_left_out", self.out_);
    if (!self.action_count_.empty()) Stacking::state(self.mixture_, field);
  }
  // Call it after reading the state.
  void restored() noexcept;

 private:
  void refresh() noexcept;
  void refresh(Action action) noexcept;
  void refresh_all() noexcept;
  // The power of losses after so many rewards: p(N) or q(N).
  double power(std::uint64_t rewards) const noexcept;
  // What w_ka is proportional to, given loss_weight_ or weight_.
  double weight_of(std::span<const double> weight, std::size_t k, Action action) const noexcept;
  // Turns losses into weights: (loss / smallest loss)^-power, 0 for an opinion that is left out.
  void weigh(std::span<const double> loss, double add, double power,
             std::span<double> weight) const noexcept;

  std::vector<double> loss_;                 // L_k
  std::vector<double> action_loss_;          // L_ka, actions x opinions
  std::uint64_t count_ = 0;                  // n
  std::vector<std::uint64_t> action_count_;  // n_a
  double reward_squares_ = 0.0;              // R
  double lowest_ = 0.0, highest_ = 0.0;      // rewards; 0 before the first
  std::vector<std::uint8_t> out_;
  Stacking mixture_;  // only for a fixed set of actions

  // Computed from the above.
  std::vector<double> loss_weight_;    // of L_k
  std::vector<double> weight_;         // of L_k and s_k
  std::vector<double> action_weight_;  // of L_ka, actions x opinions
  std::vector<double> spread_weight_;  // v_k
  std::vector<double> error_;          // L_k / N
  std::vector<double> mistake_;        // e_k, while a reward is observed
};

}  // namespace sau
