#include "sau/evaluate/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "evaluate/parallel.hpp"
#include "evaluate/policy_run.hpp"
#include "evaluate/prepare.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

using detail::PreparedBatch;

// How many pieces of the log are read together: enough to keep all threads busy, few enough to save
// memory.
constexpr std::size_t kPieces = 16;

// Pieces on their way: read, then prepared in order, then given to every policy.
struct Group {
  std::vector<ChoiceSource::Piece> pieces;
  std::vector<PreparedBatch> batches{kPieces};  // one per piece; they keep their memory
  std::size_t used = 0;

  bool fill(ChoiceSource& source) {
    pieces.clear();
    while (pieces.size() < kPieces) {
      auto piece = source.next();
      if (!piece) break;
      pieces.push_back(std::move(*piece));
    }
    used = pieces.size();
    return used > 0;
  }
  void read(std::size_t i) {
    batches[i].batch.clear();
    pieces[i](batches[i].batch);
    batches[i].batch.finish();
  }
  std::uint64_t last_line() const {
    for (std::size_t i = used; i > 0; --i) {
      const ChoiceBatch& batch = batches[i - 1].batch;
      if (batch.size() > 0) return batch[batch.size() - 1].line;
    }
    return 0;
  }
};

unsigned threads_for(const EvaluateOptions& options) {
  return options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

// The reward models of all folds learn from the whole log.
void train_folds(ChoiceSource& source, detail::Preparation& log, const EvaluateOptions& options) {
  Group reading, learning;
  for (bool more = true; more || learning.used > 0;) {
    more = more && reading.fill(source);
    if (!more) reading.used = 0;
    std::vector<std::function<void()>> tasks;
    tasks.emplace_back([&] {
      for (std::size_t i = 0; i < learning.used; ++i) log.train(learning.batches[i].batch);
    });
    for (std::size_t i = 0; i < reading.used; ++i) tasks.emplace_back([&, i] { reading.read(i); });
    detail::run_tasks(tasks, threads_for(options));
    std::swap(reading, learning);
  }
  source.rewind();
}

void check_options(const EvaluateOptions& options) {
  const auto share = [](double x) { return x >= 0.0 && x <= 1.0; };
  if (!share(options.train) || !share(options.until) || options.train >= options.until) {
    throw UsageError("evaluate: the part to learn from must end before the part to score");
  }
  if (!(options.score.rewards.min < options.score.rewards.max)) {
    throw UsageError("evaluate: the range of rewards is empty");
  }
  if (!(options.score.alpha > 0.0 && options.score.alpha < 1.0)) {
    throw UsageError("evaluate: the confidence must be between 0 and 1");
  }
  if (options.folds == 1) throw UsageError("evaluate: cross-fitting needs at least 2 folds");
  if (options.score.estimators.empty()) throw UsageError("evaluate: name an estimator");
  if (options.score.interval == IntervalKind::kBootstrap && options.score.alpha != 0.05) {
    throw UsageError("evaluate: intervals by bootstrap have a confidence of 0.95");
  }
}

}  // namespace

EvaluationResult evaluate(ChoiceSource& source, std::vector<PolicyPlan> policies,
                          const std::vector<std::string>& by, const EvaluateOptions& options) {
  check_options(options);
  detail::Preparation log(source, by.size(), options);
  if (options.folds > 0 && options.score.predicts()) train_folds(source, log, options);
  std::vector<detail::PolicyRun> runs;
  runs.reserve(policies.size());
  for (PolicyPlan& plan : policies) runs.emplace_back(std::move(plan), by.size(), options);
  // Three groups in a row: while one is read, the one before it is prepared, and the one before
  // that is scored.
  Group reading, preparing, scoring;
  for (bool more = true; more || preparing.used > 0 || scoring.used > 0;) {
    more = more && reading.fill(source);
    if (!more) reading.used = 0;
    std::vector<std::function<void()>> tasks;
    tasks.emplace_back([&] {
      for (std::size_t i = 0; i < preparing.used; ++i) log.prepare(preparing.batches[i]);
    });
    for (detail::PolicyRun& run : runs) {
      tasks.emplace_back([&] {
        for (std::size_t i = 0; i < scoring.used; ++i) run.follow(scoring.batches[i]);
      });
    }
    for (std::size_t i = 0; i < reading.used; ++i) tasks.emplace_back([&, i] { reading.read(i); });
    detail::run_tasks(tasks, threads_for(options));
    if (options.progress && scoring.used > 0) options.progress(scoring.last_line());
    std::swap(scoring, preparing);
    std::swap(preparing, reading);
  }
  EvaluationResult result;
  log.finish(result);
  if (result.decisions == 0) {
    std::string why;
    for (const auto& [reason, count] : result.skipped) {
      why += fmt::format("; {} skipped: {}", count, reason);
    }
    throw Error(source.name() + ": there is no decision to evaluate" + why);
  }
  for (detail::PolicyRun& run : runs) result.policies.push_back(run.finish(log, by, result));
  for (std::size_t f = 0; f < by.size(); ++f) {
    if (log.segments(f).size() != 1 || log.segments(f).text(0) != kNoSegment) continue;
    result.warnings.push_back(fmt::format("no decision has a context feature '{}'", by[f]));
  }
  const ChanceCheck& chances = result.chances;
  if (std::abs(chances.inverse_z) > 4.0) {
    result.warnings.push_back(fmt::format(
        "the mean of 1 / (number of actions * chance) is {:.4g}, {:.1f} standard errors from 1: "
        "some actions had no chance, or the logged chances are wrong",
        chances.inverse, std::abs(chances.inverse_z)));
  }
  return result;
}

}  // namespace sau
