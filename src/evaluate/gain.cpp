#include "sau/evaluate/gain.hpp"

#include <algorithm>

namespace sau {
namespace {

// A gain with limit k is at least -(1 + max(k, 1)), and at least -1 for k = 0.
constexpr std::array kGainShifts = {1.0, 2.0, 5.0, 17.0};
static_assert(kGainShifts.size() == kPredictionLimits.size());

// The model's prediction for action a, cut so that w(a) times it stays within the limit; in units
// of the scaled reward.
double cut(double predicted, double policy, double chance, double limit) noexcept {
  return policy * predicted > limit * chance ? limit * chance / policy : predicted;
}

}  // namespace

std::span<const CutPredictions> cut_predictions(const LoggedChoice& choice,
                                                std::span<const double> policy,
                                                std::span<const double> predicted,
                                                const RewardRange& rewards, bool predicts) {
  thread_local std::array<CutPredictions, kPredictionLimits.size()> all;
  const double range = rewards.max - rewards.min;
  const std::size_t used = predicts ? all.size() : 1;
  const bool helped = predicts && !choice.chances.empty();
  for (std::size_t i = 0; i < used; ++i) {
    const double limit = kPredictionLimits[i];
    CutPredictions sums;
    if (helped && limit > 0.0) {
      for (std::size_t a = 0; a < policy.size(); ++a) {
        const double q = choice.chances[a];
        if (!(q > 0.0)) continue;
        const double scaled = std::clamp((predicted[a] - rewards.min) / range, 0.0, 1.0);
        const double m = cut(scaled, policy[a], q, limit);
        const double up = cut(1.0 - scaled, policy[a], q, limit);
        sums.of_policy += policy[a] * m;
        sums.of_logged += q * m;
        sums.of_policy_up += policy[a] * up;
        sums.of_logged_up += q * up;
        if (a == choice.chosen) {
          sums.at_chosen = m;
          sums.at_chosen_up = up;
        }
      }
    }
    all[i] = sums;
  }
  return std::span(all).first(used);
}

GainScore::GainScore(const RewardRange& rewards, bool predicts)
    : rewards_(rewards),
      predicts_(predicts),
      more_(std::span(kGainShifts).first(predicts ? kGainShifts.size() : 1)),
      less_(std::span(kGainShifts).first(predicts ? kGainShifts.size() : 1)) {}

void GainScore::add(const LoggedChoice& choice, std::span<const double> policy,
                    std::span<const double> predicted) {
  add(choice, policy, predicted, cut_predictions(choice, policy, predicted, rewards_, predicts_));
}

// With scaled reward u, prediction m (cut) and weight w, the gain is estimated by y = sum (pi - q)
// m + (w - 1) (u - m(a)). For the upper end it is the same with 1 - u and 1 - m.
void GainScore::add(const LoggedChoice& choice, std::span<const double> policy,
                    std::span<const double> predicted, std::span<const CutPredictions> cut) {
  const double weight = policy[choice.chosen] / choice.chance;
  const double at_chosen = predicts_ ? predicted[choice.chosen] : 0.0;
  double direct = 0.0;
  if (predicts_ && !choice.chances.empty()) {
    for (std::size_t a = 0; a < policy.size(); ++a) {
      direct += (policy[a] - choice.chances[a]) * predicted[a];
    }
  } else if (predicts_) {
    double mass = 0.0;
    for (std::size_t a = 0; a < policy.size(); ++a) {
      direct += policy[a] * predicted[a];
      mass += policy[a];
    }
    // If the chances do not add up to 1, this is the logged policy, of which the log has only the
    // chance of the chosen action. It gains nothing.
    direct = mass < 1.0 - 1e-6 ? 0.0 : direct - at_chosen;
  }
  add_unweighed(direct + (weight - 1.0) * (choice.reward - at_chosen), choice.importance);
  const double u = (choice.reward - rewards_.min) / (rewards_.max - rewards_.min);
  std::array<double, kPredictionLimits.size()> more{}, less{};
  for (std::size_t i = 0; i < cut.size(); ++i) {
    const CutPredictions& m = cut[i];
    more[i] = m.of_policy - m.of_logged + (weight - 1.0) * (u - m.at_chosen);
    less[i] = m.of_policy_up - m.of_logged_up + (weight - 1.0) * (1.0 - u - m.at_chosen_up);
  }
  more_.add(std::span(more).first(cut.size()));
  less_.add(std::span(less).first(cut.size()));
}

Interval GainScore::anytime(double alpha) const {
  const double range = rewards_.max - rewards_.min;
  return {range * more_.bound(alpha / 2.0, -1.0), -range * less_.bound(alpha / 2.0, -1.0)};
}

double GainScore::evidence(double margin, bool worse) const noexcept {
  return (worse ? less_ : more_).log_wealth(margin / (rewards_.max - rewards_.min));
}

}  // namespace sau
