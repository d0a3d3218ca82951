#include "evaluate/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sau/core/error.hpp"
#include "stats/distributions.hpp"

namespace sau {

void check_choice(const ChoiceSource& source, const LoggedChoice& choice) {
  const auto fail = [&](const std::string& why) {
    throw Error(fmt::format("{}, line {}: {}", source.name(), choice.line, why));
  };
  const bool known = !std::isnan(choice.chance);
  if (known && (!(choice.chance > 0.0) || choice.chance > 1.0 + 1e-9)) {
    fail(fmt::format("the chance of the chosen action is {}; expected above 0 and at most 1",
                     choice.chance));
  }
  if (!std::isfinite(choice.reward)) fail("the reward is not a finite number");
  if (choice.chances.empty()) return;
  double sum = 0.0;
  for (const double chance : choice.chances) {
    if (!(chance >= 0.0) || chance > 1.0 + 1e-9) {
      fail(fmt::format("the chance of an action is {}; expected 0 to 1", chance));
    }
    sum += chance;
  }
  if (std::abs(sum - 1.0) > 1e-3) fail(fmt::format("the chances add up to {}, not to 1", sum));
}

namespace detail {
namespace {

constexpr std::size_t kMostIds = 100'000, kMostSegments = 200;
constexpr std::array kBinEdges = {0.0, 0.001, 0.01, 0.1, 0.2, 0.3,  0.4,
                                  0.5, 0.6,   0.7,  0.8, 0.9, 0.99, 1.0};

std::size_t bin_of(double chance) noexcept {
  const auto above = std::ranges::lower_bound(kBinEdges, chance);
  const auto place = static_cast<std::size_t>(above - kBinEdges.begin());
  return std::clamp<std::size_t>(place, 1, kBinEdges.size() - 1) - 1;
}

}  // namespace

std::uint32_t Numbers::of(std::string_view text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  if (texts_.size() >= limit_) {
    if (texts_.size() == limit_) texts_.emplace_back("(all others)");
    return static_cast<std::uint32_t>(limit_);
  }
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(texts_.back(), number);
  return number;
}

Preparation::Preparation(const ChoiceSource& source, std::size_t features,
                         const EvaluateOptions& options)
    : source_(source),
      options_(options),
      ids_(kMostIds),
      segments_(features, Numbers(kMostSegments)),
      bin_mass_(kBinEdges.size() - 1) {
  const auto first = static_cast<double>(source.first_line());
  const double lines = static_cast<double>(source.last_line()) - first + 1.0;
  learn_until_ = first + options.train * lines;
  score_until_ = first + options.until * lines;
  for (std::size_t i = 0; i + 1 < kBinEdges.size(); ++i) {
    bins_.push_back({.low = kBinEdges[i], .high = kBinEdges[i + 1]});
  }
  if (options.score.predicts()) {
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, options.folds); ++i) {
      models_.emplace_back(options.reward_model, options.seed);
    }
  }
}

Part Preparation::part_of(const LoggedChoice& choice) const noexcept {
  const auto line = static_cast<double>(choice.line);
  if (line < learn_until_) return Part::kLearned;
  return line < score_until_ ? Part::kScored : Part::kLeftOut;
}

RewardModel& Preparation::model_of(std::uint64_t choice) {
  return models_[options_.folds == 0 ? 0 : choice % options_.folds];
}

void Preparation::check(const LoggedChoice& choice) const {
  check_choice(source_, choice);
  if (std::isnan(choice.chance) && options_.score.weighs()) {
    throw Error(fmt::format(
        "{}, line {}: the chance of the chosen action is missing; without chances (csv: "
        "--chance COLUMN) only the direct method is possible: --estimator dm",
        source_.name(), choice.line));
  }
  if (!options_.score.rewards.contains(choice.reward)) {
    throw Error(
        fmt::format("{}, line {}: the reward {} is outside {} to {}; give the range that "
                    "rewards can have (--range MIN..MAX)",
                    source_.name(), choice.line, choice.reward, options_.score.rewards.min,
                    options_.score.rewards.max));
  }
}

void Preparation::train(const ChoiceBatch& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const LoggedChoice choice = batch[i];
    check(choice);
    if (part_of(choice) == Part::kLeftOut) continue;
    const std::uint64_t fold = trained_++ % options_.folds;
    for (std::uint64_t f = 0; f < options_.folds; ++f) {
      if (f != fold) models_[f].learn(choice);
    }
  }
}

void Preparation::prepare(PreparedBatch& prepared) {
  const ChoiceBatch& batch = prepared.batch;
  for (const auto& [reason, count] : batch.skipped()) skipped_[reason] += count;
  prepared.parts.clear();
  prepared.first.assign(1, 0);
  prepared.actions.clear();
  prepared.predicted.clear();
  prepared.segments.clear();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const LoggedChoice choice = batch[i];
    check(choice);
    const Part part = part_of(choice);
    prepared.parts.push_back(part);
    for (const OfferedAction& action : choice.actions) {
      prepared.actions.push_back(ids_.of(action.id));
    }
    logged_.resize(ids_.size());
    const std::size_t first = prepared.first.back(), last = prepared.actions.size();
    prepared.first.push_back(last);
    for (std::size_t f = 0; f < segments_.size(); ++f) {
      prepared.segments.push_back(segments_[f].of(choice.segments[f]));
    }
    if (!models_.empty()) {
      prepared.predicted.resize(last);
      if (part != Part::kLeftOut) {
        RewardModel& model = model_of(seen_++);
        const auto out = std::span(prepared.predicted).subspan(first);
        if (part == Part::kScored) model.predict(choice, out);
        if (options_.folds == 0) model.learn(choice);
        for (double& value : out) {
          value = std::clamp(value, options_.score.rewards.min, options_.score.rewards.max);
        }
      }
    }
    if (part == Part::kLearned) ++learned_;
    if (part == Part::kLeftOut) continue;
    Logged& chosen = logged_[prepared.actions[first + choice.chosen]];
    ++chosen.count;
    chosen.importance += choice.importance;
    chosen.reward += choice.importance * choice.reward;
    if (part != Part::kScored) continue;
    all_times_ = all_times_ && choice.time != 0;
    first_time_ = scored_ == 0 ? choice.time : std::min(first_time_, choice.time);
    last_time_ = scored_ == 0 ? choice.time : std::max(last_time_, choice.time);
    ++scored_;
    rewards_.add(choice.reward, choice.importance);
    if (choice.importance > 1.0) ++dropped_;
    check_chances(choice, std::span(prepared.actions).subspan(first));
  }
}

void Preparation::check_chances(const LoggedChoice& choice,
                                std::span<const std::uint32_t> actions) {
  if (std::isnan(choice.chance)) {
    all_chances_ = false;
    return;
  }
  const double inverse = 1.0 / (static_cast<double>(choice.offered()) * choice.chance);
  inverse_ += inverse;
  inverse_squares_ += inverse * inverse;
  if (choice.chances.empty()) {
    all_chances_ = false;
    return;
  }
  std::ranges::fill(bin_mass_, 0.0);
  for (std::size_t a = 0; a < choice.chances.size(); ++a) {
    const double chance = choice.chances[a];
    if (!(chance > 0.0)) continue;
    bin_mass_[bin_of(chance)] += chance;
    logged_[actions[a]].expected += chance;
    logged_[actions[a]].variance += chance * (1.0 - std::min(1.0, chance));
  }
  ++logged_[actions[choice.chosen]].scored;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    const double mass = std::min(1.0, bin_mass_[b]);
    bins_[b].expected += mass;
    bins_[b].variance += mass * (1.0 - mass);
  }
  ++bins_[bin_of(choice.chance)].observed;
}

// Chi-square of how often actions were chosen, first by bins of the chance, then by id. The smaller
// p counts, doubled because there are two tests.
double Preparation::chance_p(double& chi_square) const {
  // With a smaller variance the number would not be nearly normal.
  constexpr double kEnough = 5.0;
  double by_bin = 0.0, by_id = 0.0;
  int bins = 0, ids = 0;
  const auto add = [](double& sum, int& used, std::uint64_t observed, double expected,
                      double variance) {
    if (variance < kEnough) return;
    const double off = static_cast<double>(observed) - expected;
    sum += off * off / variance;
    ++used;
  };
  for (const ChanceBin& bin : bins_) add(by_bin, bins, bin.observed, bin.expected, bin.variance);
  for (const Logged& id : logged_) add(by_id, ids, id.scored, id.expected, id.variance);
  const double p_bin = bins > 0 ? chi_square_tail(by_bin, bins) : 1.0;
  const double p_id = ids > 0 ? chi_square_tail(by_id, ids) : 1.0;
  chi_square = p_bin < p_id ? by_bin : by_id;
  return std::min(1.0, 2.0 * std::min(p_bin, p_id));
}

void Preparation::finish(EvaluationResult& result) const {
  const auto n = static_cast<double>(scored_);
  result.source = source_.name();
  result.decisions = scored_;
  result.learned = learned_;
  if (all_times_) {
    result.first_time = first_time_;
    result.last_time = last_time_;
  }
  result.skipped = skipped_;
  result.actions = ids_.size();
  result.reward_model = models_.empty() ? "" : options_.reward_model;
  result.score = options_.score;
  result.logged = rewards_.mean();
  result.logged_error = std::sqrt(rewards_.squared_error());
  if (dropped_ > 0) {
    result.warnings.push_back(fmt::format(
        "{} decisions have a pdrop above 0: each counts as the 1 / (1 - pdrop) decisions that it "
        "stands for",
        dropped_));
  }
  ChanceCheck& check = result.chances;
  check.possible = all_chances_ && scored_ > 0;
  if (check.possible) {
    check.bins = bins_;
    check.p = chance_p(check.chi_square);
  }
  check.inverse = inverse_ / n;
  const double variance = inverse_squares_ / n - check.inverse * check.inverse;
  check.inverse_z = variance > 0.0 ? (check.inverse - 1.0) / std::sqrt(variance / n) : 0.0;
}

}  // namespace detail
}  // namespace sau
