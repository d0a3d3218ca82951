#include "sau/run/runner.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <thread>

#include "core/threads.hpp"
#include "run/board.hpp"
#include "run/game.hpp"
#include "run/thread_clock.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/run/memory.hpp"

namespace sau {
namespace {

// Why a trial that was played to its end has failed; empty if it has not. The curve holds partial
// sums of the regret, which are finite if the total is.
std::string failure_of(const TrialRecord& record, std::string fault) {
  if (!fault.empty()) return fault;
  if (!std::isfinite(record.regret)) return "the total regret is not finite";
  if (!std::isfinite(record.reward)) return "the total reward is not finite";
  return "";
}

template <class A, class P>
bool play_to_end(A& agent, P& problem, Streams& rng, std::uint64_t steps,
                 std::span<const std::uint64_t> points, const TrialControl& control,
                 TrialRecord& record, const Lateness& late) {
  Recorder recorder(fixed_actions(problem), steps, points, control);
  make_game(agent, problem, late, rng.problem.stream()).play(rng, steps, recorder);
  if (!recorder.complete()) return false;
  record = recorder.record();
  std::string failure = failure_of(record, agent.fault());
  if (!failure.empty()) {
    record = {};
    record.failure = std::move(failure);
  }
  return true;
}

}  // namespace

bool run_trial(const Cell& cell, std::uint64_t seed, std::uint64_t trial,
               std::span<const std::uint64_t> points, const TrialControl& control,
               TrialRecord& record) {
  const GameStreams streams(cell, seed, trial);
  return with_game(cell, streams, [&](auto& agent, auto& problem) {
    if (!cell.data.empty() && problem.data() != cell.data) {
      throw Error("the data of " + cell.problem_spec + " have changed since the run began");
    }
    return play_trial(agent, problem, streams.begin(), cell.steps, points, control, record,
                      lateness_of(cell.problem_spec));
  });
}

bool play_trial(AnyAgent& agent, Problem& problem, Streams rng, std::uint64_t steps,
                std::span<const std::uint64_t> points, const TrialControl& control,
                TrialRecord& record, const Lateness& late) {
  return play_to_end(agent, problem, rng, steps, points, control, record, late);
}

bool play_trial(OfferAgent& agent, OfferProblem& problem, Streams rng, std::uint64_t steps,
                std::span<const std::uint64_t> points, const TrialControl& control,
                TrialRecord& record, const Lateness& late) {
  return play_to_end(agent, problem, rng, steps, points, control, record, late);
}

std::optional<PlayedTrial> play_task(const Experiment& experiment, const TrialTask& task,
                                     const TrialFunction& play, const TrialControl& control) {
  const Cell& cell = experiment.cells[task.cell];
  PlayedTrial played{.task = task};
  const double start = thread_seconds();
  try {
    const auto points = curve_points(cell.steps);
    const bool whole =
        play ? play(task.cell, cell, experiment.seed, task.trial, points, control, played.record)
             : run_trial(cell, experiment.seed, task.trial, points, control, played.record);
    if (!whole) return std::nullopt;
  } catch (const std::exception& error) {
    played.record = {};
    played.error = cell.problem + " with " + cell.agent + ", trial " + std::to_string(task.trial) +
                   ": " + error.what();
  }
  played.seconds = thread_seconds() - start;
  return played;
}

namespace {

RunOutcome run_with_players(const Experiment& experiment, ResultFolder& folder,
                            const RunOptions& options) {
  Players& players = *options.players;
  check_memory(experiment, players.most_on_one_machine(), machine_memory());
  Board board(experiment, folder, players.count(), options);
  {
    const std::jthread host([&] { board.take_part([&] { players.play(experiment, board); }); });
    board.watch(1, options.progress);
  }
  return board.outcome(players.count());
}

RunOutcome run_with_threads(const Experiment& experiment, ResultFolder& folder,
                            const RunOptions& options) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned threads = options.threads == 0 ? cores : options.threads;
  check_memory(experiment, threads, machine_memory());
  Board board(experiment, folder, threads, options);
  std::vector<std::jthread> workers = detail::start_threads(
      threads, [&board](std::size_t worker) { board.take_part([&] { board.work(worker); }); });
  if (workers.empty()) throw Error("the system gives this process no thread");
  board.watch(static_cast<unsigned>(workers.size()), options.progress);
  workers.clear();
  return board.outcome(threads);
}

}  // namespace

RunOutcome run(const Experiment& experiment, ResultFolder& folder, const RunOptions& options) {
  RunOutcome outcome = options.players == nullptr ? run_with_threads(experiment, folder, options)
                                                  : run_with_players(experiment, folder, options);
  if (outcome.new_trials > 0) folder.note_session(outcome.threads, outcome.new_trials);
  return outcome;
}

}  // namespace sau
