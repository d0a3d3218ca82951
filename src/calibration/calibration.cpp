#include "sau/calibration/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include "calibration/known_log.hpp"
#include "evaluate/parallel.hpp"
#include "sau/core/error.hpp"
#include "sau/evaluate/score.hpp"
#include "sau/evaluate/targets.hpp"

namespace sau {
namespace {

using detail::KnownLog;

// `mips` is not here: these actions have no features, so it would be `ips`.
constexpr std::array kEstimators = {"dr", "ips", "snips", "dm", "sndr", "switch", "dros"};

// The same with a reward model that learned the rest of the log, later decisions too. Such a model
// is better, but the anytime interval does not hold for it.
constexpr std::array kCrossFitted = {"dr", "dm"};
constexpr std::size_t kFolds = 5;

struct IntervalOf {
  IntervalKind kind;
  const char* estimator;
};
constexpr std::array kIntervals = {
    IntervalOf{IntervalKind::kAnytime, "dr"},   IntervalOf{IntervalKind::kNormal, "dr"},
    IntervalOf{IntervalKind::kNormal, "ips"},   IntervalOf{IntervalKind::kNormal, "snips"},
    IntervalOf{IntervalKind::kNormal, "dm"},    IntervalOf{IntervalKind::kBootstrap, "dr"},
    IntervalOf{IntervalKind::kBernstein, "dr"}, IntervalOf{IntervalKind::kLikelihood, "ips"}};

// What one log said about one policy.
struct LogVerdict {
  double truth = 0.0, logged = 0.0, effective_size = 0.0;
  std::vector<double> values;  // of all estimators, the cross-fitted ones last
  std::array<Interval, kIntervals.size()> ends{};
  bool ever_missed = false;  // by the anytime interval, at some decision
};

std::string cross_fitted_name(const char* estimator) { return std::string(estimator) + " x5"; }

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// Predictions of the reward for every action of every decision.
using Predictions = std::vector<double>;

// Calls use(choice, row) for every decision of the log.
template <class Use>
void for_each_choice(const KnownLog& known, const Use& use) {
  const auto source = open_array_choices(known.arrays());
  std::size_t row = 0;
  while (const auto piece = source->next()) {
    ChoiceBatch batch;
    (*piece)(batch);
    batch.finish();
    for (std::size_t i = 0; i < batch.size(); ++i, ++row) use(batch[i], row);
  }
}

// Predicted from earlier decisions only.
Predictions predictable(const KnownLog& known, const EvaluationStudy& study,
                        const RewardRange& range, std::uint64_t seed) {
  RewardModel model(study.reward_model, seed);
  Predictions all;
  for_each_choice(known, [&](const LoggedChoice& choice, std::size_t) {
    all.resize(all.size() + choice.actions.size());
    model.predict(choice, std::span(all).last(choice.actions.size()));
    model.learn(choice);
  });
  for (double& value : all) value = std::clamp(value, range.min, range.max);
  return all;
}

// Predicted by a model that learned the other four fifths of the log.
Predictions cross_fitted(const KnownLog& known, const EvaluationStudy& study,
                         const RewardRange& range, std::uint64_t seed) {
  std::vector<RewardModel> models;
  for (std::size_t f = 0; f < kFolds; ++f) models.emplace_back(study.reward_model, seed);
  for_each_choice(known, [&](const LoggedChoice& choice, std::size_t row) {
    for (std::size_t f = 0; f < kFolds; ++f) {
      if (f != row % kFolds) models[f].learn(choice);
    }
  });
  Predictions all;
  for_each_choice(known, [&](const LoggedChoice& choice, std::size_t row) {
    all.resize(all.size() + choice.actions.size());
    models[row % kFolds].predict(choice, std::span(all).last(choice.actions.size()));
  });
  for (double& value : all) value = std::clamp(value, range.min, range.max);
  return all;
}

std::vector<LogVerdict> judge(const EvaluationStudy& study, const EvaluationStudy::Log& log,
                              std::uint64_t trial, const CalibrationOptions& options) {
  const KnownLog known(study, log, options.seed, trial);
  const ScoreSettings settings{.estimators = {kEstimators.begin(), kEstimators.end()},
                               .interval = IntervalKind::kBootstrap,  // keeps what it resamples
                               .alpha = options.alpha,
                               .rewards = log.rewards};
  ScoreSettings fitted_settings = settings;
  fitted_settings.estimators = {kCrossFitted.begin(), kCrossFitted.end()};
  fitted_settings.interval = IntervalKind::kNormal;
  const Predictions before = predictable(known, study, log.rewards, options.seed);
  const Predictions others = cross_fitted(known, study, log.rewards, options.seed);
  std::vector<LogVerdict> verdicts;
  for (std::size_t p = 0; p < study.policies.size(); ++p) {
    PolicyScore score(settings), fitted(fitted_settings);
    LogVerdict& verdict = verdicts.emplace_back();
    double sum = 0.0;  // of the truth so far
    for_each_choice(known, [&](const LoggedChoice& choice, std::size_t row) {
      const std::size_t first = row * choice.actions.size(), count = choice.actions.size();
      score.add(choice, known.policy(p, row), std::span(before).subspan(first, count));
      fitted.add(choice, known.policy(p, row), std::span(others).subspan(first, count));
      sum += known.truth(p, row);
      verdict.ever_missed =
          verdict.ever_missed || score.anytime_excludes(sum / static_cast<double>(row + 1));
    });
    verdict.truth = sum / static_cast<double>(known.rows());
    verdict.logged = known.mean_reward();
    verdict.effective_size = score.coverage().effective_size();
    for (const EstimateResult& one : score.estimates(IntervalKind::kNormal)) {
      verdict.values.push_back(one.value);
    }
    for (const EstimateResult& one : fitted.estimates()) verdict.values.push_back(one.value);
    for (std::size_t k = 0; k < kIntervals.size(); ++k) {
      verdict.ends[k] = score.interval(kIntervals[k].kind, kIntervals[k].estimator);
    }
  }
  return verdicts;
}

// The results of one policy on all logs of one agent on one problem.
PolicyCalibration summary_of(const EvaluationStudy::Log& log, const std::string& policy,
                             const std::vector<const LogVerdict*>& verdicts) {
  PolicyCalibration result{.log = log.cell, .policy = policy};
  const auto logs = static_cast<double>(verdicts.size());
  std::vector<double> sizes;
  for (const LogVerdict* verdict : verdicts) {
    result.truth += verdict->truth / logs;
    result.logged += verdict->logged / logs;
    sizes.push_back(verdict->effective_size);
  }
  result.effective_size = median_of(std::move(sizes));
  std::vector<std::string> names(kEstimators.begin(), kEstimators.end());
  for (const char* name : kCrossFitted) names.push_back(cross_fitted_name(name));
  for (std::size_t e = 0; e < names.size(); ++e) {
    EstimatorError error{.estimator = names[e]};
    double squares = 0.0, defined = 0.0;
    for (const LogVerdict* verdict : verdicts) {
      const double off = verdict->values[e] - verdict->truth;
      if (std::isnan(off)) {
        ++error.undefined;
        continue;
      }
      defined += 1.0;
      error.bias += off;
      squares += off * off;
    }
    error.bias /= defined;  // NaN if it never gave a number
    error.root_square = std::sqrt(squares / defined);
    result.estimators.push_back(std::move(error));
  }
  for (std::size_t k = 0; k < kIntervals.size(); ++k) {
    IntervalMisses misses{.kind = kIntervals[k].kind, .estimator = kIntervals[k].estimator};
    std::vector<double> widths;
    for (const LogVerdict* verdict : verdicts) {
      const Interval& ends = verdict->ends[k];
      // An interval that does not exist misses.
      if (!(ends.low <= verdict->truth && verdict->truth <= ends.high)) ++misses.at_end;
      if (misses.kind == IntervalKind::kAnytime && verdict->ever_missed) ++misses.ever;
      if (!std::isnan(ends.low)) widths.push_back(ends.high - ends.low);
    }
    misses.width = widths.empty() ? kUndefined : median_of(std::move(widths));
    result.intervals.push_back(std::move(misses));
  }
  return result;
}

}  // namespace

std::vector<PolicyCalibration> calibrate(const EvaluationStudy& study,
                                         const CalibrationOptions& options) {
  std::vector<std::vector<std::vector<LogVerdict>>> verdicts(study.logs.size());
  std::vector<std::function<void()>> tasks;
  std::mutex mutex;
  std::uint64_t done = 0, all = 0;
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  for (std::size_t l = 0; l < study.logs.size(); ++l) {
    const std::uint64_t trials = study.logs[l].cell.trials;
    verdicts[l].resize(trials);
    all += trials;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      tasks.emplace_back([&, l, trial] {
        if (stopped()) return;
        verdicts[l][trial] = judge(study, study.logs[l], trial, options);
        const std::lock_guard lock(mutex);
        ++done;
        if (options.progress) options.progress(done, all);
      });
    }
  }
  const unsigned threads =
      options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  detail::run_tasks(tasks, threads);
  if (stopped()) return {};
  std::vector<PolicyCalibration> results;
  for (std::size_t l = 0; l < study.logs.size(); ++l) {
    for (std::size_t p = 0; p < study.policies.size(); ++p) {
      std::vector<const LogVerdict*> of_policy;
      for (const auto& trial : verdicts[l]) of_policy.push_back(&trial[p]);
      results.push_back(summary_of(study.logs[l], study.policies[p].name, of_policy));
    }
  }
  return results;
}

std::vector<PairErrors> pair_errors(const std::vector<PolicyCalibration>& results) {
  std::vector<PairErrors> pairs;
  for (std::size_t first = 0; first < results.size();) {
    const Cell& cell = results[first].log;
    std::size_t last = first;
    while (last < results.size() && results[last].log.same_as(cell)) ++last;
    const auto error_of = [&](std::string_view name) {
      double squares = 0.0;
      for (std::size_t i = first; i < last; ++i) {
        const auto found =
            std::ranges::find(results[i].estimators, name, &EstimatorError::estimator);
        squares += found->root_square * found->root_square;
      }
      return std::sqrt(squares / static_cast<double>(last - first));
    };
    PairErrors pair{.problem = cell.problem, .log = cell.agent, .dr = error_of("dr x5")};
    for (const char* name : {"ips", "snips", "dm x5"}) {
      const double error = error_of(name);
      if (!pair.best.empty() && !(error < pair.best_error)) continue;
      pair.best = name;
      pair.best_error = error;
    }
    pairs.push_back(std::move(pair));
    first = last;
  }
  return pairs;
}

}  // namespace sau
