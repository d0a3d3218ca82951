#include "sau/evaluate/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sau/core/rng.hpp"
#include "sau/stats/compare.hpp"

namespace sau {
namespace {

std::span<const double> used(std::span<const double> all, bool predicts) {
  return all.first(predicts ? all.size() : 1);
}

}  // namespace

bool ScoreSettings::weighs() const {
  return std::ranges::any_of(estimators,
                             [](const std::string& name) { return estimator_info(name).weighs; });
}
bool ScoreSettings::predicts() const {
  return std::ranges::any_of(estimators,
                             [](const std::string& name) { return estimator_info(name).predicts; });
}
bool ScoreSettings::groups() const { return std::ranges::count(estimators, "mips") > 0; }

void Coverage::add(const LoggedChoice& choice, std::span<const double> policy,
                   double weight) noexcept {
  const double u = choice.importance;
  count(u);
  weights += u * weight;
  squares += u * weight * u * weight;
  uu_ += u * u;
  uuw_ += u * u * weight;
  if (u * weight > heaviest_) {
    heaviest_ = u * weight;
    largest = weight;
    largest_line = choice.line;
  }
  largest_share = heaviest_ / weights;
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
  missed_mass += u * missed;
  missed_decisions += missed > 0.0 ? 1 : 0;
}

void Coverage::add_unweighed(const LoggedChoice& choice) noexcept {
  count(choice.importance);
  ++unknown;
  all_chances = false;
}

void Coverage::count(double u) noexcept {
  if (decisions++ == 0) first_importance_ = u;
  mixed = mixed || u != first_importance_;
  importance += u;
}

double Coverage::effective_size() const noexcept {
  return squares > 0.0 ? weights * weights / squares : 0.0;
}
double Coverage::mean_weight() const noexcept {
  return decisions == 0 ? kUndefined : weights / importance;
}
double Coverage::mean_weight_z() const noexcept {
  const double mean = mean_weight();
  const double off = squares - 2.0 * mean * uuw_ + mean * mean * uu_;  // sum of u^2 (w - mean)^2
  return off > 0.0 ? (mean - 1.0) / std::sqrt(off) * importance : kUndefined;
}
double Coverage::mean_missed() const noexcept {
  return decisions == 0 ? kUndefined : missed_mass / importance;
}

PolicyScore::PolicyScore(const ScoreSettings& settings)
    : settings_(settings),
      predicts_(settings.predicts()),
      groups_(settings.groups()),
      low_(used(kPredictionLimits, predicts_)),
      high_(used(kPredictionLimits, predicts_)),
      gain_(settings.rewards, predicts_) {
  for (const std::string& name : settings_.estimators) {
    estimators_.push_back(make_estimator(name, settings_.settings));
  }
}

void PolicyScore::add(const LoggedChoice& choice, std::span<const double> policy,
                      std::span<const double> predicted) {
  const bool known = !std::isnan(choice.chance);
  ScoredChoice scored{.weight = known ? policy[choice.chosen] / choice.chance : 0.0,
                      .reward = choice.reward,
                      .importance = choice.importance};
  if (predicts_) {
    scored.predicted = predicted[choice.chosen];
    double mass = 0.0;
    for (std::size_t a = 0; a < policy.size(); ++a) {
      scored.direct += policy[a] * predicted[a];
      mass += policy[a];
    }
    // If the chances do not add up to 1, this is the logged policy, of which the log has only the
    // chance of the chosen action.
    if (!(mass >= 1.0 - 1e-6)) scored.direct = scored.predicted;
  }
  if (groups_) scored.group_weight = group_weight(choice, policy);
  for (const auto& estimator : estimators_) estimator->add(scored);
  if (!known) {
    coverage_.add_unweighed(choice);
    gain_.add_unweighed(scored.direct - scored.reward, choice.importance);
    return;
  }
  coverage_.add(choice, policy, scored.weight);
  likelihood_.add(scored.weight, scored.reward);
  add_to_sequences(choice, policy, predicted, scored.weight);
  if (settings_.interval == IntervalKind::kBootstrap) kept_.push_back(scored);
}

// With scaled reward u, prediction m (cut) and weight w, the value is estimated by y = sum pi m + w
// (u - m(a)). For the upper end it is the same with 1 - u and 1 - m.
void PolicyScore::add_to_sequences(const LoggedChoice& choice, std::span<const double> policy,
                                   std::span<const double> predicted, double weight) {
  const RewardRange& rewards = settings_.rewards;
  const double u = (choice.reward - rewards.min) / (rewards.max - rewards.min);
  const auto cut = cut_predictions(choice, policy, predicted, rewards, predicts_);
  std::array<double, kPredictionLimits.size()> low{}, high{};
  for (std::size_t i = 0; i < cut.size(); ++i) {
    low[i] = cut[i].of_policy + weight * (u - cut[i].at_chosen);
    high[i] = cut[i].of_policy_up + weight * (1.0 - u - cut[i].at_chosen_up);
  }
  low_.add(std::span(low).first(cut.size()));
  high_.add(std::span(high).first(cut.size()));
  gain_.add(choice, policy, predicted, cut);
}

// sum of pi / sum of q over the actions that have the same features as the chosen one. An action
// without features is like no other.
double PolicyScore::group_weight(const LoggedChoice& choice, std::span<const double> policy) const {
  if (choice.chances.empty()) return kUndefined;
  const HashedFeatures wanted = choice.actions[choice.chosen].features;
  double of_policy = 0.0, of_logged = 0.0;
  for (std::size_t a = 0; a < policy.size(); ++a) {
    const bool same = wanted.empty() ? a == choice.chosen
                                     : std::ranges::equal(choice.actions[a].features, wanted);
    if (!same) continue;
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
  if (!has_sequence()) return {kUndefined, kUndefined};
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

// `anytime` and `likelihood` are about the policy's value, whatever the estimator: they are given
// with the estimators that use the same numbers.
bool PolicyScore::applies(IntervalKind kind, const std::string& name) const {
  const bool resamples = kind == IntervalKind::kNormal || kind == IntervalKind::kBootstrap;
  if (coverage_.mixed && !resamples) return false;
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
                               const Estimator& estimator) const {
  const double value = estimator.value(), squared_error = estimator.squared_error();
  if (std::isnan(value)) return {kUndefined, kUndefined};
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

Interval PolicyScore::interval(IntervalKind kind, std::string_view estimator) const {
  const auto found = std::ranges::find(settings_.estimators, estimator);
  const auto i = static_cast<std::size_t>(found - settings_.estimators.begin());
  return interval(kind, settings_.estimators.at(i), *estimators_.at(i));
}

std::vector<EstimateResult> PolicyScore::estimates(IntervalKind wanted) const {
  std::vector<EstimateResult> results;
  for (std::size_t i = 0; i < estimators_.size(); ++i) {
    const Estimator& estimator = *estimators_[i];
    const std::string& name = settings_.estimators[i];
    const IntervalKind kind = applies(wanted, name) ? wanted : IntervalKind::kNormal;
    results.push_back({.estimator = name,
                       .setting = estimator.setting(),
                       .value = estimator.value(),
                       .error = std::sqrt(estimator.squared_error()),
                       .interval = kind,
                       .ends = interval(kind, name, estimator)});
  }
  return results;
}

}  // namespace sau
