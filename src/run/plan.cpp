#include "sau/run/plan.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/threads.hpp"
#include "run/game.hpp"
#include "run/thread_clock.hpp"
#include "sau/agent/recorder.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/run/results.hpp"

namespace sau {
namespace {

constexpr std::uint64_t kPeriod = 40;  // steps; the longest period of any agent's training

// Processor time, in seconds, that the steps before the first training may take in a measurement.
constexpr double kLongestWait = 1.0;

unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }

// Measures the cells that have no time yet. Uses all threads because in a run they share caches and
// memory, too.
void try_out(Plan& plan, std::uint64_t seed, double budget) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < plan.cells.size(); i = next++) {
      CellPlan& cell = plan.cells[i];
      if (cell.timed || cell.missing() == 0) continue;
      try {
        cell.seconds = measure_trial(cell.cell, seed, budget);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    }
  };
  {
    const auto others = detail::start_threads(plan.at_once - 1, [&work](std::size_t) { work(); });
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

double Plan::processor_seconds() const noexcept {
  double sum = 0.0;
  for (const CellPlan& cell : cells) sum += static_cast<double>(cell.missing()) * cell.seconds;
  return sum;
}

double Plan::wall_seconds() const noexcept {
  double longest = 0.0;
  for (const CellPlan& cell : cells) {
    if (cell.missing() > 0) longest = std::max(longest, cell.seconds);
  }
  return std::max(longest, processor_seconds() / at_once);
}

namespace {

// Estimated processor time of a trial that began at `start`.
template <class A, class P>
double measure_game(A& agent, P& problem, Streams rng, const Cell& cell, double start,
                    double budget) {
  const Lateness late = lateness_of(cell.problem_spec);
  auto game = make_game(agent, problem, late, rng.problem.stream());
  // Nothing trains in the first steps, so they do not count towards the budget or the rate, unless
  // there are so many of them that they take too long.
  const std::uint64_t first = late.delay.max + kPeriod;
  double ready = 0.0, rate = 0.0;
  std::uint64_t played = 0;
  for (std::uint64_t block = 2 * kPeriod; played < cell.steps; block *= 2) {
    const std::uint64_t end = played < first ? std::min(first, cell.steps) : cell.steps;
    const std::uint64_t steps = std::min(block, end - played);
    const auto points = curve_points(steps);
    Recorder recorder(fixed_actions(problem), steps, points);
    const double before = thread_seconds();
    game.play(rng, steps, recorder);
    const double now = thread_seconds();
    played += steps;
    if (played == cell.steps) return now - start;
    rate = (now - before) / static_cast<double>(steps);
    if (played < first) {
      if (now - start >= kLongestWait) break;
      continue;
    }
    if (played == first) {
      ready = now;
      block = kPeriod;
      continue;
    }
    if (now - ready >= budget) break;
  }
  return thread_seconds() - start + rate * static_cast<double>(cell.steps - played);
}

}  // namespace

double measure_trial(const Cell& cell, std::uint64_t seed, double budget) {
  const GameStreams streams(cell, seed, 0);
  // Load what all trials share, such as the data, before the clock starts.
  with_game(cell, streams, [](auto&, auto&) {});
  const double start = thread_seconds();
  double seconds = 0.0;
  with_game(cell, streams, [&](auto& agent, auto& problem) {
    seconds = measure_game(agent, problem, streams.begin(), cell, start, budget);
  });
  return seconds;
}

Plan make_plan(const Experiment& experiment, const std::filesystem::path& folder, unsigned threads,
               double budget) {
  Plan plan{.threads = threads == 0 ? cores() : threads, .cells = {}};
  plan.at_once = std::min(plan.threads, cores());
  const RunResults results = preview_results(folder, experiment);
  for (const Cell& cell : experiment.cells) {
    CellPlan& next = plan.cells.emplace_back();
    next.cell = cell;
    next.cell.trials = experiment.shard.slice(cell).rows(cell.trials);
    const auto found = std::ranges::find_if(
        results.cells, [&](const CellResults& have) { return have.cell.same_as(cell); });
    if (found == results.cells.end()) continue;
    next.present = found->trials.size();
    next.seconds = found->seconds;
    next.timed = found->seconds > 0.0;
  }
  try_out(plan, experiment.seed, budget);
  return plan;
}

}  // namespace sau
