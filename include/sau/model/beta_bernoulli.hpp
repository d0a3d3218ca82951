#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sau/core/argmax_probabilities.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"

namespace sau {

// With smaller shapes, many draws would round to exactly 0 or 1, and ties would bias the choice.
inline constexpr Bounds kBetaPriorBounds{.min = 0.25, .max = 1e9};

struct BetaBernoulliOptions {
  double alpha = 1.0;
  double beta = 1.0;
  double discount = 1.0;
  void fields(auto&& field) {
    field("alpha", alpha, "prior successes of every action", kBetaPriorBounds);
    field("beta", beta, "prior failures of every action", kBetaPriorBounds);
    field("discount", discount, "weight of a reward after every further reward; 1: all count alike",
          Bounds{.min = 0.5, .max = 1.0});
  }
};

// Beta posterior of every action's mean reward (Zhu & Rigotti 2021, appendix A.1):
//     (alpha_a, beta_a) <- (alpha_a, beta_a) + (r, 1 - r),   value = alpha_a / (alpha_a + beta_a).
// Rewards lie in [0, 1]. With `thompson` it is the paper's TS. With discount < 1 every reward, of
// whatever action, first multiplies the gains of all actions over the prior by it.
class BetaBernoulli {
 public:
  static constexpr std::string_view kName = "beta_bernoulli";
  static constexpr std::string_view kSummary =
      "Beta posterior of every action's mean, rewards in [0, 1], context ignored";
  static constexpr bool kCheapSteps = true;
  static constexpr bool kUsesContext = false;
  static constexpr RewardRange kRewards{0.0, 1.0};
  using Options = BetaBernoulliOptions;

  explicit BetaBernoulli(const Setup& setup, Options options = {})
      : options_(options),
        forgets_(options.discount != 1.0),
        alpha_(setup.shape.actions, options.alpha),
        beta_(setup.shape.actions, options.beta),
        mean_(setup.shape.actions, options.alpha / (options.alpha + options.beta)),
        draw_(setup.shape.actions),
        shape_(setup.shape.actions, BetaShape(options.alpha, options.beta)) {}

  std::span<const double> values(Context) const noexcept { return mean_; }
  void describe(auto&& column) const {
    column("alpha", "successes, with those of the prior", alpha_);
    column("beta", "failures, with those of the prior", beta_);
    column("mean", "mean of the posterior", mean_);
  }

  std::span<const double> sample(Context, Rng& rng) noexcept {
    for (std::size_t a = 0; a < draw_.size(); ++a) draw_[a] = rng.beta(shape_[a]);
    return draw_;
  }

  std::vector<BetaMarginal> marginals(Context) const {
    std::vector<BetaMarginal> result;
    for (std::size_t a = 0; a < alpha_.size(); ++a) result.push_back({alpha_[a], beta_[a]});
    return result;
  }

  void update(Context, Action action, double reward) noexcept {
    if (forgets_) [[unlikely]]
      forget();
    alpha_[action] += reward;
    beta_[action] += 1.0 - reward;
    refresh(action);
  }

  void grow(Action actions) {
    alpha_.resize(actions, options_.alpha);
    beta_.resize(actions, options_.beta);
    mean_.resize(actions, options_.alpha / (options_.alpha + options_.beta));
    draw_.resize(actions);
    shape_.resize(actions, BetaShape(options_.alpha, options_.beta));
  }

  // Whether posteriors that were learned separately add up.
  bool sums() const noexcept { return !forgets_; }
  void merge(const BetaBernoulli& other) noexcept {
    for (std::size_t a = 0; a < alpha_.size(); ++a) {
      alpha_[a] += other.alpha_[a] - options_.alpha;
      beta_[a] += other.beta_[a] - options_.beta;
      refresh(static_cast<Action>(a));
    }
  }

  static void state(auto& self, auto&& field) {
    field("alpha", self.alpha_);
    field("beta", self.beta_);
  }
  void restored() noexcept {
    for (std::size_t a = 0; a < alpha_.size(); ++a) refresh(static_cast<Action>(a));
  }

 private:
  [[gnu::noinline]] void forget() noexcept {
    for (std::size_t a = 0; a < alpha_.size(); ++a) {
      alpha_[a] = options_.alpha + options_.discount * (alpha_[a] - options_.alpha);
      beta_[a] = options_.beta + options_.discount * (beta_[a] - options_.beta);
      refresh(static_cast<Action>(a));
    }
  }
  void refresh(Action action) noexcept {
    mean_[action] = alpha_[action] / (alpha_[action] + beta_[action]);
    shape_[action] = BetaShape(alpha_[action], beta_[action]);
  }

  Options options_;
  bool forgets_;  // discount < 1; quicker to test in every step
  std::vector<double> alpha_, beta_, mean_, draw_;
  std::vector<BetaShape> shape_;  // the sampler's constants; a pull changes those of one action
};

}  // namespace sau
