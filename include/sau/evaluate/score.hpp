#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/types.hpp"
#include "sau/evaluate/estimators.hpp"
#include "sau/evaluate/gain.hpp"
#include "sau/evaluate/intervals.hpp"
#include "sau/evaluate/logged_choice.hpp"
#include "sau/evaluate/mean_sequence.hpp"

namespace sau {

struct ScoreSettings {
  std::vector<std::string> estimators = {"dr", "ips", "snips", "dm"};
  IntervalKind interval = IntervalKind::kAnytime;
  double alpha = 0.05;  // the chance that an interval misses
  RewardRange rewards{0.0, 1.0};
  EstimatorSettings settings = {};

  bool weighs() const;    // whether an estimator uses logged chances
  bool predicts() const;  // whether an estimator uses the reward model
  bool groups() const;    // whether mips is among them
};

// How well a log covers a policy.
struct Coverage {
  std::uint64_t decisions = 0;
  std::uint64_t unknown = 0;            // decisions without a logged chance; they have no weight
  double importance = 0.0;              // sum of u: decisions that they stand for
  double weights = 0.0, squares = 0.0;  // sums of u w and (u w)^2
  double largest = 0.0;                 // the w with the largest u w
  double largest_share = 0.0;           // of that decision in `weights`
  std::uint64_t largest_line = 0;
  bool mixed = false;  // not all decisions have the same importance
  // With all logged chances: the policy's mass on actions that the log could not choose (mean), and
  // the share of decisions that have such an action. The largest w that could have come.
  bool all_chances = true;
  double missed_mass = 0.0;
  std::uint64_t missed_decisions = 0;
  double largest_possible = 0.0;

  void add(const LoggedChoice& choice, std::span<const double> policy, double weight) noexcept;
  void add_unweighed(const LoggedChoice& choice) noexcept;  // its chance is unknown

  double effective_size() const noexcept;  // (sum w)^2 / sum w^2; 0 without weights
  double mean_weight() const noexcept;
  double mean_weight_z() const noexcept;  // how many standard errors it is from 1
  double mean_missed() const noexcept;

 private:
  void count(double u) noexcept;

  double first_importance_ = 0.0, heaviest_ = 0.0;  // the first u, the largest u w
  double uu_ = 0.0, uuw_ = 0.0;                     // sums of u^2 and u^2 w
};

struct EstimateResult {
  std::string estimator, setting;
  double value = 0.0, error = 0.0;                // NaN: undefined
  IntervalKind interval = IntervalKind::kNormal;  // the kind that was used
  Interval ends{};
};

// What a policy would have earned per decision, from a log made by another. Only sums are kept,
// unless intervals come from resampling.
class PolicyScore {
 public:
  explicit PolicyScore(const ScoreSettings& settings);

  // `policy` has the chance of every action under the policy, which may depend on earlier decisions
  // only. `predicted` has the reward model's prediction for every action, from earlier decisions
  // too; empty if no estimator uses it.
  void add(const LoggedChoice& choice, std::span<const double> policy,
           std::span<const double> predicted);

  const Coverage& coverage() const noexcept { return coverage_; }
  std::vector<EstimateResult> estimates() const { return estimates(settings_.interval); }
  // With intervals of another kind. Those by resampling need the kind in the settings.
  std::vector<EstimateResult> estimates(IntervalKind kind) const;
  // Of one estimator of the settings.
  Interval interval(IntervalKind kind, std::string_view estimator) const;
  // The value that the interval of `anytime` is about: that of dr, or else of ips.
  double value() const;
  // Holds at every moment at once, for the mean over all decisions so far.
  Interval anytime() const;
  // Whether that interval leaves this value out. Much cheaper than finding its ends.
  bool anytime_excludes(double value) const noexcept;

  // How much more the policy earns than the logged one, per decision, and an interval for that
  // which holds at every moment at once.
  double gain() const noexcept { return gain_.value(); }
  Interval anytime_gain() const {
    if (!has_sequence()) return {kUndefined, kUndefined};
    return gain_.anytime(settings_.alpha);
  }
  // As GainScore::evidence().
  double gain_evidence(double margin, bool worse) const noexcept {
    return gain_.evidence(margin, worse);
  }

 private:
  void add_to_sequences(const LoggedChoice& choice, std::span<const double> policy,
                        std::span<const double> predicted, double weight);
  double group_weight(const LoggedChoice& choice, std::span<const double> policy) const;
  Interval interval(IntervalKind kind, const std::string& name, const Estimator& estimator) const;
  // Bets need all chances, and decisions that count alike.
  bool has_sequence() const noexcept { return coverage_.unknown == 0 && !coverage_.mixed; }
  bool applies(IntervalKind kind, const std::string& name) const;

  ScoreSettings settings_;
  bool predicts_ = false, groups_ = false;
  std::vector<std::unique_ptr<Estimator>> estimators_;
  Coverage coverage_;
  LikelihoodSums likelihood_;
  LowerMeanSequence low_, high_;  // of the value, and of 1 - value, scaled to [0, 1]
  GainScore gain_;
  std::vector<ScoredChoice> kept_;  // for resampling
  std::vector<double> scratch_;
};

}  // namespace sau
