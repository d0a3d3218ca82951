#include "sau/run/runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "run/game.hpp"
#include "run/thread_clock.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/run/memory.hpp"

namespace sau {
namespace {

// Hands out the missing trials and writes the results to the folder, in trial order.
class Board {
 public:
  Board(const Experiment& experiment, ResultFolder& folder, unsigned threads,
        const RunOptions& options)
      : experiment_(experiment),
        folder_(folder),
        run_trial_(options.trial),
        window_(64 + 4 * threads),
        stop_(options.stop),
        seats_(threads) {
    for (std::size_t c = 0; c < experiment.cells.size(); ++c) {
      const Cell& cell = experiment.cells[c];
      points_.push_back(curve_points(cell.steps));
      // A cell given twice has one file: only the first of the two runs.
      std::uint64_t wanted = cell.trials;
      for (std::size_t other = 0; other < experiment.cells.size(); ++other) {
        if (!experiment.cells[other].same_as(cell)) continue;
        wanted = other < c ? 0 : std::max(wanted, experiment.cells[other].trials);
        if (wanted == 0) break;
      }
      columns_.push_back({.next = folder.done(c), .wanted = wanted, .waiting = {}});
      last_trial_ = std::max(last_trial_, wanted);
      const std::uint64_t missing = wanted > folder.done(c) ? wanted - folder.done(c) : 0;
      progress_.trials_total += missing;
      progress_.steps_total += static_cast<double>(missing) * static_cast<double>(cell.steps);
    }
  }

  // The main loop of worker number `worker`.
  void work(std::size_t worker) {
    Seat& seat = seats_[worker];
    while (const auto task = take(seat)) {
      const Cell& cell = experiment_.cells[task->cell];
      Finished finished;
      std::string failure;
      const double start = thread_seconds();
      try {
        if (!play(*task, cell, seat, finished.record)) return;
      } catch (const std::exception& error) {
        failure = cell.problem + " with " + cell.agent + ", trial " + std::to_string(task->trial) +
                  ": " + error.what();
      }
      finished.seconds = thread_seconds() - start;
      if (!put(seat, *task, std::move(finished), std::move(failure))) return;
    }
  }

  // Reports progress until all workers have left: at least once, even if they finish first.
  void watch(unsigned workers, const std::function<void(const Progress&)>& report) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    do {
      changed_.wait_for(lock, std::chrono::milliseconds(200), [&] { return left_ == workers; });
      progress_.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      progress_.steps_done = steps_done();
      progress_.share = share_done();
      if (report) report(progress_);
    } while (left_ < workers);
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    changed_.notify_all();
  }

  RunOutcome outcome(unsigned threads) const {
    if (write_error_) std::rethrow_exception(write_error_);
    return {.complete = failures_.empty() && progress_.trials_done == progress_.trials_total,
            .threads = threads,
            .new_trials = progress_.trials_done,
            .failures = failures_};
  }

 private:
  struct Task {
    std::size_t cell = 0;
    std::uint64_t trial = 0;
  };
  struct Finished {
    TrialRecord record;
    double seconds = 0.0;
  };
  struct Column {
    std::uint64_t next = 0;    // the trial to be written next
    std::uint64_t wanted = 0;  // trials that the file should have
    bool broken = false;       // the cell cannot be run: hand out no more of it
    std::uint64_t played = 0;  // trials played in this run
    double seconds = 0.0;      // their processor time
    std::map<std::uint64_t, Finished> waiting;
  };

  // A worker's place: the trial it is playing and how far it is.
  struct Seat {
    std::optional<std::size_t> cell;
    std::atomic<std::uint64_t> steps = 0;
  };

  bool play(const Task& task, const Cell& cell, Seat& seat, TrialRecord& record) const {
    const auto& points = points_[task.cell];
    const TrialControl control(stop_, &seat.steps);
    if (!run_trial_) return run_trial(cell, experiment_.seed, task.trial, points, control, record);
    return run_trial_(task.cell, cell, experiment_.seed, task.trial, points, control, record);
  }

  std::optional<Task> take(Seat& seat) {
    std::unique_lock lock(mutex_);
    // Results must not pile up behind a slow trial.
    changed_.wait(lock, [&] { return waiting_ < window_ || closed(); });
    while (!closed() && trial_ < last_trial_) {
      const Task task{cell_, trial_};
      if (++cell_ == columns_.size()) {
        cell_ = 0;
        ++trial_;
      }
      const Column& column = columns_[task.cell];
      if (!column.broken && task.trial >= folder_.done(task.cell) && task.trial < column.wanted) {
        seat.cell = task.cell;
        return task;
      }
    }
    return std::nullopt;
  }

  bool put(Seat& seat, const Task& task, Finished finished, std::string failure) {
    const std::lock_guard lock(mutex_);
    seat.cell.reset();
    seat.steps = 0;
    Column& column = columns_[task.cell];
    if (!failure.empty()) {
      if (!column.broken) failures_.push_back(std::move(failure));
      column.broken = true;
      waiting_ -= column.waiting.size();
      column.waiting.clear();
    } else if (!column.broken) {
      column.waiting.emplace(task.trial, std::move(finished));
      ++waiting_;
      write(task.cell);
    }
    changed_.notify_all();
    return !closed();
  }

  // Writes the results that are next in order for this cell.
  void write(std::size_t cell) {
    Column& column = columns_[cell];
    try {
      for (auto ready = column.waiting.find(column.next); ready != column.waiting.end();
           ready = column.waiting.find(++column.next)) {
        folder_.append(cell, ready->second.record, ready->second.seconds);
        ++column.played;
        column.seconds += ready->second.seconds;
        column.waiting.erase(ready);
        --waiting_;
        ++progress_.trials_done;
      }
    } catch (const Error&) {
      write_error_ = std::current_exception();
    }
  }

  // Steps of this cell in trials that were played and in those that are being played.
  double steps_done(std::size_t cell) const {
    const Column& column = columns_[cell];
    if (column.broken) return 0.0;
    double steps = static_cast<double>(column.played + column.waiting.size()) * steps_of(cell);
    for (const Seat& seat : seats_) {
      if (seat.cell == cell) steps += static_cast<double>(seat.steps.load());
    }
    return steps;
  }
  double steps_done() const {
    double steps = 0.0;
    for (std::size_t c = 0; c < columns_.size(); ++c) steps += steps_done(c);
    return steps;
  }

  // A step of a cell that has no whole trial yet is assumed to cost as much as one of the others.
  double share_done() const {
    double seconds = 0.0, steps = 0.0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      seconds += columns_[c].seconds;
      steps += static_cast<double>(columns_[c].played) * steps_of(c);
    }
    const double usual = seconds > 0.0 ? seconds / steps : 1.0;
    double done = 0.0, left = 0.0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Column& column = columns_[c];
      if (column.broken) continue;
      const auto played = static_cast<double>(column.played);
      const double step = column.seconds > 0.0 ? column.seconds / (played * steps_of(c)) : usual;
      const auto missing =
          static_cast<double>(column.wanted - std::min(column.next, column.wanted));
      const double now = steps_done(c);
      done += step * now;
      left += step * std::max(0.0, (missing + played) * steps_of(c) - now);
    }
    return done > 0.0 ? done / (done + left) : 0.0;
  }
  double steps_of(std::size_t cell) const {
    return static_cast<double>(experiment_.cells[cell].steps);
  }

  bool closed() const {
    return write_error_ != nullptr || (stop_ != nullptr && stop_->load(std::memory_order_relaxed));
  }

  const Experiment& experiment_;
  ResultFolder& folder_;
  const TrialFunction& run_trial_;
  std::vector<std::vector<std::uint64_t>> points_;
  const std::size_t window_;
  const std::atomic<bool>* stop_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Column> columns_;
  std::vector<Seat> seats_;
  std::uint64_t trial_ = 0, last_trial_ = 0;
  std::size_t cell_ = 0, waiting_ = 0;
  unsigned left_ = 0;
  Progress progress_;
  std::vector<std::string> failures_;
  std::exception_ptr write_error_;
};

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

RunOutcome run(const Experiment& experiment, ResultFolder& folder, const RunOptions& options) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned threads = options.threads == 0 ? cores : options.threads;
  check_memory(experiment, threads, machine_memory());
  Board board(experiment, folder, threads, options);
  std::vector<std::jthread> workers;
  try {
    while (workers.size() < threads) {
      workers.emplace_back([&board, worker = workers.size()] {
        board.work(worker);
        board.leave();
      });
    }
  } catch (const std::system_error& error) {
    // The system gives no more threads: the ones that run do all the work.
    if (workers.empty()) throw Error(std::string("cannot start a thread: ") + error.what());
  }
  board.watch(static_cast<unsigned>(workers.size()), options.progress);
  workers.clear();
  RunOutcome outcome = board.outcome(threads);
  if (outcome.new_trials > 0) folder.note_session(threads, outcome.new_trials);
  return outcome;
}

}  // namespace sau
