#include "sau/evaluate/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sau/core/rng.hpp"
#include "sau/stats/compare.hpp"

namespace sau {
namespace {

// The reward model helps a bet only as far as w r^ stays below a limit, which must be fixed in
// advance. A small one costs little if the model is bad, a large one lets it help where weights are
// large: the money is spread over several. 0 is plain ips.
constexpr std::array kLimits = {0.0, 1.0, 4.0, 16.0};
// A gain with limit k is at least -(1 + max(k, 1)), and at least -1 for k = 0.
constexpr std::array kGainShifts = {1.0, 2.0, 5.0, 17.0};

std::span<const double> used(std::span<const double> all, bool predicts) {
  return all.first(predicts ? all.size() : 1);
}

// The model's prediction for action a, cut so that w(a) times it stays within the limit; in units
// of the scaled reward.
double cut(double predicted, double policy, double chance, double limit) noexcept {
  return policy * predicted > limit * chance ? limit * chance / policy : predicted;
}

}  // namespace

bool ScoreSettings::predicts() const {
  return std::ranges::any_of(estimators,
                             [](const std::string& name) { return estimator_info(name).predicts; });
}
bool ScoreSettings::groups() const { return std::ranges::count(estimators, "mips") > 0; }

void Coverage::add(const LoggedChoice& choice, std::span<const double> policy,
                   double weight) noexcept {
  ++decisions;
  weights += weight;
  squares += weight * weight;
  if (weight > largest) {
    largest = weight;
    largest_line = choice.line;
  }
  if (choice.chances.empty()) {
    all_chances = false;
    largest_possible = std::max(largest_possible, weight);
    return;
  }
  double missed = 0.0;
  for (std::size_t a = 0; a < policy.size(); ++a) {
    if (!(policy[a] > 0.0)) continue;
    if (choice.chances[a] > 0.0) {
      largest_possible = std::max(largest_possible, policy[a] / choice.chances[a]);
    } else {
      missed += policy[a];
    }
  }
  missed_mass += missed;
  missed_decisions += missed > 0.0 ? 1 : 0;
}

double Coverage::effective_size() const noexcept {
  return squares > 0.0 ? weights * weights / squares : 0.0;
}
double Coverage::mean_weight() const noexcept {
  return decisions == 0 ? kUndefined : weights / static_cast<double>(decisions);
}
double Coverage::mean_weight_z() const noexcept {
  const auto n = static_cast<double>(decisions);
  const double mean = mean_weight();
  const double variance = squares / n - mean * mean;
  return variance > 0.0 ? (mean - 1.0) / std::sqrt(variance / n) : kUndefined;
}
double Coverage::mean_missed() const noexcept {
  return decisions == 0 ? kUndefined : missed_mass / static_cast<double>(decisions);
}

void PolicyScore::Gain::add(double difference) noexcept {
  ++count_;
  mean_ += (difference - mean_) / static_cast<double>(count_);
}
double PolicyScore::Gain::value() const noexcept { return count_ == 0 ? kUndefined : mean_; }

PolicyScore::PolicyScore(const ScoreSettings& settings)
    : settings_(settings),
      predicts_(settings.predicts()),
      groups_(settings.groups()),
      low_(used(kLimits, predicts_)),
      high_(used(kLimits, predicts_)),
      more_(used(kGainShifts, predicts_)),
      less_(used(kGainShifts, predicts_)) {
  for (const std::string& name : settings_.estimators) {
    estimators_.push_back(make_estimator(name, settings_.settings));
  }
}

void PolicyScore::add(const LoggedChoice& choice, std::span<const double> policy,
                      std::span<const double> predicted) {
  ScoredChoice scored{.weight = policy[choice.chosen] / choice.chance, .reward = choice.reward};
  if (predicts_) {
    scored.predicted = predicted[choice.chosen];
    double mass = 0.0;
    for (std::size_t a = 0; a < policy.size(); ++a) {
      scored.direct += policy[a] * predicted[a];
      mass += policy[a];
    }
    // The logged policy, of which the log has only the chance of the chosen action.
    if (mass < 1.0 - 1e-6) scored.direct = scored.predicted;
  }
  if (groups_) scored.group_weight = group_weight(choice, policy);
  for (const auto& estimator : estimators_) estimator->add(scored);
  coverage_.add(choice, policy, scored.weight);
  likelihood_.add(scored.weight, scored.reward);
  double direct_gain = scored.direct - scored.predicted;  // over the logged policy
  if (predicts_ && !choice.chances.empty()) {
    direct_gain = scored.direct;
    for (std::size_t a = 0; a < policy.size(); ++a) direct_gain -= choice.chances[a] * predicted[a];
  }
  gain_.add(direct_gain + (scored.weight - 1.0) * (scored.reward - scored.predicted));
  add_to_sequences(choice, policy, predicted, scored.weight);
  if (settings_.interval == IntervalKind::kBootstrap) kept_.push_back(scored);
}

// With scaled reward u, prediction m (cut) and weight w: the value by y = sum pi m + w (u - m(a)),
// the gain by y = sum (pi - q) m + (w - 1) (u - m(a)). For the upper ends the same with 1 - u and
// 1 - m. Where the policy has mass that the log could not choose, m is 0: the ends only get wider.
void PolicyScore::add_to_sequences(const LoggedChoice& choice, std::span<const double> policy,
                                   std::span<const double> predicted, double weight) {
  const double range = settings_.rewards.max - settings_.rewards.min;
  const double u = (choice.reward - settings_.rewards.min) / range;
  const bool helped = predicts_ && !choice.chances.empty();
  std::array<double, kLimits.size()> low{}, high{}, more{}, less{};
  for (std::size_t i = 0; i < low_.shifts().size(); ++i) {
    double of_policy = 0.0, of_logged = 0.0, at_chosen = 0.0;           // of m
    double of_policy_up = 0.0, of_logged_up = 0.0, at_chosen_up = 0.0;  // of 1 - m
    if (helped && kLimits[i] > 0.0) {
      for (std::size_t a = 0; a < policy.size(); ++a) {
        const double q = choice.chances[a];
        if (!(q > 0.0)) continue;
        const double scaled = std::clamp((predicted[a] - settings_.rewards.min) / range, 0.0, 1.0);
        const double m = cut(scaled, policy[a], q, kLimits[i]);
        const double up = cut(1.0 - scaled, policy[a], q, kLimits[i]);
        of_policy += policy[a] * m;
        of_logged += q * m;
        of_policy_up += policy[a] * up;
        of_logged_up += q * up;
        if (a == choice.chosen) {
          at_chosen = m;
          at_chosen_up = up;
        }
      }
    }
    low[i] = of_policy + weight * (u - at_chosen);
    high[i] = of_policy_up + weight * (1.0 - u - at_chosen_up);
    more[i] = of_policy - of_logged + (weight - 1.0) * (u - at_chosen);
    less[i] = of_policy_up - of_logged_up + (weight - 1.0) * (1.0 - u - at_chosen_up);
  }
  const auto first = [&](const auto& all) { return std::span(all).first(low_.shifts().size()); };
  low_.add(first(low));
  high_.add(first(high));
  more_.add(first(more));
  less_.add(first(less));
}

// sum of pi / sum of q over the actions that have the same features as the chosen one.
double PolicyScore::group_weight(const LoggedChoice& choice, std::span<const double> policy) const {
  if (choice.chances.empty()) return kUndefined;
  const HashedFeatures wanted = choice.actions[choice.chosen].features;
  double of_policy = 0.0, of_logged = 0.0;
  for (std::size_t a = 0; a < policy.size(); ++a) {
    if (!std::ranges::equal(choice.actions[a].features, wanted)) continue;
    of_policy += policy[a];
    of_logged += choice.chances[a];
  }
  return of_policy / of_logged;
}

double PolicyScore::value() const {
  for (const char* name : {"dr", "ips"}) {
    const auto found = std::ranges::find(settings_.estimators, name);
    if (found == settings_.estimators.end()) continue;
    return estimators_[static_cast<std::size_t>(found - settings_.estimators.begin())]->value();
  }
  return estimators_.front()->value();
}

Interval PolicyScore::anytime() const {
  const double range = settings_.rewards.max - settings_.rewards.min;
  return {settings_.rewards.min + range * low_.bound(settings_.alpha / 2.0, 0.0),
          settings_.rewards.max - range * high_.bound(settings_.alpha / 2.0, 0.0)};
}

bool PolicyScore::anytime_excludes(double value) const noexcept {
  const double scaled =
      (value - settings_.rewards.min) / (settings_.rewards.max - settings_.rewards.min);
  const double enough = std::log(2.0 / settings_.alpha);
  return low_.log_wealth(scaled) >= enough || high_.log_wealth(1.0 - scaled) >= enough;
}

Interval PolicyScore::anytime_gain() const {
  const double range = settings_.rewards.max - settings_.rewards.min;
  return {range * more_.bound(settings_.alpha / 2.0, -1.0),
          -range * less_.bound(settings_.alpha / 2.0, -1.0)};
}

double PolicyScore::gain_evidence(double margin, bool worse) const noexcept {
  const double scaled = margin / (settings_.rewards.max - settings_.rewards.min);
  return (worse ? less_ : more_).log_wealth(scaled);
}

// `anytime` and `likelihood` are about the policy's value, whatever the estimator: they are given
// with the estimators that use the same numbers.
bool PolicyScore::applies(IntervalKind kind, const std::string& name) const {
  switch (kind) {
    case IntervalKind::kAnytime:
      return (name == "dr" || name == "ips") && settings_.settings.clip == 0.0;
    case IntervalKind::kLikelihood:
      return (name == "ips" || name == "snips") && settings_.settings.clip == 0.0;
    case IntervalKind::kBernstein:
      return name == "ips" || name == "dr";
    case IntervalKind::kNormal:
    case IntervalKind::kBootstrap:
      return true;
  }
  return false;
}

Interval PolicyScore::interval(IntervalKind kind, const std::string& name,
                               const Estimator& estimator, double value,
                               double squared_error) const {
  switch (kind) {
    case IntervalKind::kAnytime:
      return anytime();
    case IntervalKind::kLikelihood:
      return likelihood_interval(likelihood_, coverage_.largest_possible, settings_.rewards,
                                 settings_.alpha);
    case IntervalKind::kBernstein: {
      const RewardRange& r = settings_.rewards;
      const double clip = settings_.settings.clip;
      const bool clipped = name == "ips" && clip > 0.0;
      const double most = clipped ? clip : coverage_.largest_possible;
      const double width = name == "ips" ? most * (std::max(r.max, 0.0) - std::min(r.min, 0.0))
                                         : (1.0 + 2.0 * most) * (r.max - r.min);
      return bernstein_interval(value, squared_error, coverage_.decisions, width, settings_.alpha);
    }
    case IntervalKind::kBootstrap: {
      std::vector<double> contributions(kept_.size());
      std::ranges::transform(kept_, contributions.begin(), [&](const ScoredChoice& choice) {
        return estimator.contribution(choice);
      });
      const Estimate found =
          bootstrap(contributions, Location::kMean, resamples_for(contributions.size()), Stream{});
      return {found.low, found.high};
    }
    case IntervalKind::kNormal:
      break;
  }
  return normal_interval(value, squared_error, settings_.alpha);
}

std::vector<EstimateResult> PolicyScore::estimates() const {
  std::vector<EstimateResult> results;
  for (std::size_t i = 0; i < estimators_.size(); ++i) {
    const Estimator& estimator = *estimators_[i];
    const std::string& name = settings_.estimators[i];
    const double value = estimator.value(), squared = estimator.squared_error();
    const IntervalKind kind =
        applies(settings_.interval, name) ? settings_.interval : IntervalKind::kNormal;
    EstimateResult result{.estimator = name,
                          .setting = estimator.setting(),
                          .value = value,
                          .error = std::sqrt(squared),
                          .interval = kind,
                          .ends = {kUndefined, kUndefined}};
    if (!std::isnan(value)) result.ends = interval(kind, name, estimator, value, squared);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace sau
