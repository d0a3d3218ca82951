#include "evaluate/policy_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/hash.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kWeightBins = 22;  // 0; below 2^-9, ..., below 2^10; above
constexpr std::size_t kMostActions = 1000;

// Beyond these limits, the log cannot tell what a policy earns.
constexpr double kLeastSize = 30.0, kMostMissed = 0.01, kContradiction = 1e-6;

std::size_t weight_bin(double weight) noexcept {
  if (!(weight > 0.0)) return 0;
  const double power = std::floor(std::log2(weight)) + 1.0;  // weight < 2^power
  return static_cast<std::size_t>(std::clamp(power, -9.0, 11.0) + 10.0);
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

}  // namespace

PolicyRun::PolicyRun(PolicyPlan plan, std::size_t features, const EvaluateOptions& options)
    : plan_(std::move(plan)),
      features_(features),
      options_(options),
      learns_(!plan_.target->agent().empty()),
      weighs_(options.score.weighs()),
      score_(options.score),
      weights_(kWeightBins),
      rng_(Stream{options.seed, 0, hash_of(plan_.target->name()), Role::kAgent}) {}

void PolicyRun::follow(const PreparedBatch& batch) {
  for (std::size_t i = 0; i < batch.batch.size(); ++i) {
    const LoggedChoice choice = batch.batch[i];
    if (batch.parts[i] == Part::kLeftOut) continue;
    if (batch.parts[i] == Part::kLearned) {
      if (learns_ && plan_.learning != Learning::kReplayed) plan_.target->learn(choice);
      continue;
    }
    policy_.resize(choice.actions.size());
    plan_.target->probabilities(choice, policy_);
    if (learns_ && plan_.learning == Learning::kReplayed) {
      replay(choice);
      continue;
    }
    score(batch, i, choice);
    if (learns_ && plan_.learning == Learning::kFollowing) plan_.target->learn(choice);
  }
}

void PolicyRun::score(const PreparedBatch& batch, std::size_t i, const LoggedChoice& choice) {
  std::span<const double> predicted;
  if (!batch.predicted.empty()) {
    predicted = std::span(batch.predicted).subspan(batch.first[i], batch.actions_of(i));
  }
  score_.add(choice, policy_, predicted);
  const double weight = policy_[choice.chosen] / choice.chance;
  if (!std::isnan(weight)) ++weights_[weight_bin(weight)];
  for (std::size_t a = 0; a < policy_.size(); ++a) {
    const std::uint32_t number = batch.actions[batch.first[i] + a];
    if (number >= shares_.size()) shares_.resize(number + 1);
    shares_[number].policy += choice.importance * policy_[a];
    if (a == choice.chosen && weight > 0.0) {
      shares_[number].largest_weight = std::max(shares_[number].largest_weight, weight);
    }
  }
  if (features_ > 0) add_segments(batch, i, choice);
  time_ = choice.time;
  const std::uint64_t done = score_.coverage().decisions;
  if (done >= next_point_) {
    add_point();
    next_point_ = done + std::max<std::uint64_t>(1, done / 16);
  }
}

void PolicyRun::add_point() {
  course_.push_back({.decisions = score_.coverage().decisions,
                     .value = score_.value(),
                     .ends = score_.anytime(),
                     .gain = score_.anytime_gain(),
                     .time = time_});
}

void PolicyRun::add_segments(const PreparedBatch& batch, std::size_t i,
                             const LoggedChoice& choice) {
  std::span<const double> predicted;
  if (!batch.predicted.empty()) {
    predicted = std::span(batch.predicted).subspan(batch.first[i], batch.actions_of(i));
  }
  for (std::size_t f = 0; f < features_; ++f) {
    const std::uint32_t number = batch.segments[i * features_ + f];
    const auto [found, added] =
        segments_.try_emplace({f, number}, Segment{PolicyScore(options_.score), 0.0});
    found->second.score.add(choice, policy_, predicted);
    found->second.reward += choice.importance * choice.reward;
  }
}

// Rejection sampling: a decision is accepted with chance pi / (c p), as if the policy had made it.
void PolicyRun::replay(const LoggedChoice& choice) {
  if (std::isnan(choice.chance)) {
    throw Error(fmt::format("line {}: a replayed policy needs the chance of every chosen action",
                            choice.line));
  }
  const double c = options_.accept > 0.0 ? options_.accept : static_cast<double>(choice.offered());
  const double chance = policy_[choice.chosen] / (c * choice.chance);
  ++replay_.offered;
  if (chance > 1.0 + 1e-9) ++replay_.cut;
  if (rng_.uniform() >= chance) return;
  ++replay_.accepted;
  const double before = choice.reward - replay_.value;
  replay_.value += before / static_cast<double>(replay_.accepted);
  replay_squares_ += before * (choice.reward - replay_.value);
  plan_.target->learn(choice);
}

PolicyResult PolicyRun::finish(const Preparation& log, const std::vector<std::string>& by,
                               const EvaluationResult& whole) {
  PolicyResult result;
  result.name = plan_.target->name();
  result.agent = plan_.target->agent();
  if (learns_) result.learning = enum_names(Learning{})[static_cast<std::size_t>(plan_.learning)];
  if (learns_ && plan_.learning == Learning::kReplayed) {
    const auto n = static_cast<double>(replay_.accepted);
    if (replay_.accepted == 0) replay_.value = kUndefined;
    const double squared = replay_.accepted < 2 ? kUndefined : replay_squares_ / (n - 1.0) / n;
    replay_.error = std::sqrt(squared);
    replay_.ends = normal_interval(replay_.value, squared, options_.score.alpha);
    result.replay = replay_;
    if (n < kLeastSize) {
      result.refused.push_back(fmt::format(
          "it accepted only {} decisions of the log; {} are needed", replay_.accepted, kLeastSize));
    }
    if (replay_.cut > 0) {
      result.warnings.push_back(fmt::format(
          "in {} decisions it would have to be accepted more than once: the estimate is "
          "biased towards the logged policy; give a larger --accept",
          replay_.cut));
    }
    return result;
  }
  result.estimates = score_.estimates();
  result.coverage = score_.coverage();
  result.gain = score_.gain();
  result.gain_ends = score_.anytime_gain();
  const std::uint64_t done = score_.coverage().decisions;
  if (done > 0 && (course_.empty() || course_.back().decisions != done)) add_point();
  result.course = std::move(course_);
  result.weights = weights_;
  add_actions(result, log);
  for (const auto& [key, segment] : segments_) {
    const Coverage& coverage = segment.score.coverage();
    result.segments.push_back({.feature = by[key.first],
                               .segment = log.segments(key.first).text(key.second),
                               .decisions = coverage.decisions,
                               .effective_size = coverage.effective_size(),
                               .logged = segment.reward / coverage.importance,
                               .estimates = segment.score.estimates()});
  }
  find_refusals(result, whole);
  find_warnings(result);
  return result;
}

void PolicyRun::add_actions(PolicyResult& result, const Preparation& log) const {
  const double n = std::max(1.0, result.coverage.importance);
  double logged = 0.0;
  for (const auto& action : log.logged()) logged += action.importance;
  for (std::size_t a = 0; a < log.ids().size(); ++a) {
    const Preparation::Logged& found = log.logged()[a];
    const Shares share = a < shares_.size() ? shares_[a] : Shares{};
    result.actions.push_back(
        {.id = log.ids().text(a),
         .logged = found.count,
         .logged_share = found.importance / std::max(1.0, logged),
         .policy_share = share.policy / n,
         .mean_reward = found.count == 0 ? kUndefined : found.reward / found.importance,
         .largest_weight = share.largest_weight});
    if (found.count == 0) result.never_logged += share.policy / n;
  }
  std::ranges::stable_sort(result.actions, std::greater<>{}, &ActionShare::policy_share);
  if (result.actions.size() > kMostActions) result.actions.resize(kMostActions);
}

void PolicyRun::find_refusals(PolicyResult& result, const EvaluationResult& whole) const {
  if (std::string why = plan_.target->complaint(); !why.empty()) {
    result.refused.push_back(std::move(why));
  }
  if (!weighs_) return;  // dm alone needs no weights
  const Coverage& coverage = result.coverage;
  const double size = coverage.effective_size();
  if (size < kLeastSize) {
    result.refused.push_back(fmt::format(
        "the effective sample size is {:.1f}: the log says as much about this policy as "
        "{:.1f} decisions of its own would; {} are needed",
        size, size, kLeastSize));
  }
  if (coverage.largest_share > 0.5) {
    result.refused.push_back(fmt::format(
        "one decision (line {}) has the weight {:.6g}, which is {} of the sum of all weights",
        coverage.largest_line, coverage.largest, percent(coverage.largest_share)));
  }
  // If all chances are logged, an action that could have been drawn but never was does no harm.
  if (!coverage.all_chances && result.never_logged > 1e-9) {
    result.refused.push_back(
        fmt::format("it plays actions that the log never chose, in {} of its decisions",
                    percent(result.never_logged)));
  } else if (coverage.all_chances && coverage.mean_missed() > kMostMissed) {
    result.refused.push_back(fmt::format(
        "{} of what it plays had the logged chance 0; a log with a floor on chances can tell",
        percent(coverage.mean_missed())));
  }
  if (whole.chances.possible && whole.chances.p < kContradiction) {
    result.refused.push_back(
        fmt::format("the logged chances contradict the logged choices (chi-square {:.4g}, p = "
                    "{:.2g}): they cannot be the chances by which these actions were chosen",
                    whole.chances.chi_square, whole.chances.p));
  }
}

void PolicyRun::find_warnings(PolicyResult& result) const {
  const Coverage& coverage = result.coverage;
  if (coverage.unknown > 0) {
    result.warnings.push_back(
        fmt::format("the log has no chances for {} decisions: the estimate is only as good as the "
                    "reward model, and its interval does not allow for that",
                    coverage.unknown));
  }
  const IntervalKind kind = options_.score.interval;
  if (coverage.mixed && kind != IntervalKind::kNormal && kind != IntervalKind::kBootstrap) {
    result.warnings.emplace_back(
        "decisions have different values of pdrop, which only intervals of the kinds normal and "
        "bootstrap allow for: all are normal");
  }
  if (options_.score.groups() && !coverage.all_chances) {
    result.warnings.emplace_back(
        "mips needs the chances of all actions on offer, and this log has only those of the chosen "
        "ones");
  }
  if (weighs_ && std::abs(coverage.mean_weight_z()) > 4.0) {
    result.warnings.push_back(
        fmt::format("the mean weight is {:.4g}, {:.1f} standard errors from 1: the logged chances "
                    "may be wrong",
                    coverage.mean_weight(), std::abs(coverage.mean_weight_z())));
  }
  if (coverage.all_chances && coverage.missed_mass > 0.0 && coverage.mean_missed() <= kMostMissed) {
    result.warnings.push_back(
        fmt::format("{} of what it plays had the logged chance 0, in {} decisions; intervals of "
                    "the kind anytime allow for it, others do not",
                    percent(coverage.mean_missed()), coverage.missed_decisions));
  }
  for (std::size_t i = 1; i < result.estimates.size(); ++i) {
    const EstimateResult &one = result.estimates.front(), &other = result.estimates[i];
    const double apart = std::abs(one.value - other.value);
    const double allowed = 1.96 * (one.error + other.error);
    if (apart > allowed) {
      result.warnings.push_back(
          fmt::format("{} ({:.6g}) and {} ({:.6g}) disagree by more than their errors",
                      one.estimator, one.value, other.estimator, other.value));
    }
  }
}

}  // namespace sau::detail
