#include "run/board.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sau {

Board::Board(const Experiment& experiment, ResultFolder& folder, unsigned players,
             const RunOptions& options)
    : experiment_(experiment),
      folder_(folder),
      run_trial_(options.trial),
      window_(64 + 4 * players),
      stop_(options.stop),
      seats_(options.players == nullptr ? players : 0) {
  for (std::size_t c = 0; c < experiment.cells.size(); ++c) {
    const Cell& cell = experiment.cells[c];
    const TrialSlice slice = experiment.shard.slice(cell);
    // If a cell was given twice, both have the same file, so only the first one is played.
    std::uint64_t trials = cell.trials;
    for (std::size_t other = 0; other < experiment.cells.size(); ++other) {
      if (!experiment.cells[other].same_as(cell)) continue;
      trials = other < c ? 0 : std::max(trials, experiment.cells[other].trials);
      if (trials == 0) break;
    }
    const std::uint64_t wanted = slice.rows(trials), done = folder.done(c);
    columns_.push_back({.slice = slice, .next = done, .wanted = wanted, .waiting = {}});
    last_row_ = std::max(last_row_, wanted);
    const std::uint64_t missing = wanted > done ? wanted - done : 0;
    progress_.trials_total += missing;
    progress_.steps_total += static_cast<double>(missing) * static_cast<double>(cell.steps);
  }
}

void Board::work(std::size_t worker) {
  Seat& seat = seats_[worker];
  while (const auto task = take(seat)) {
    auto played = play_task(experiment_, *task, run_trial_, TrialControl(stop_, &seat.steps));
    if (!played) return;
    const std::lock_guard lock(mutex_);
    seat.cell.reset();
    seat.steps = 0;
    accept(std::move(*played));
    if (closed()) return;
  }
}

void Board::watch(unsigned workers, const std::function<void(const Progress&)>& report) {
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

void Board::take_part(const std::function<void()>& play) {
  std::exception_ptr error;
  try {
    play();
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  ++left_;
  changed_.notify_all();
}

std::vector<TrialTask> Board::fetch(double seconds) {
  const std::lock_guard lock(mutex_);
  std::vector<TrialTask> tasks;
  for (double expected = 0.0; expected < seconds && !crowded();) {
    const auto task = next();
    if (!task) break;
    ++out_;
    tasks.push_back(*task);
    // The first trials of a cell are handed out one by one, because nobody knows how long they
    // take.
    const Column& column = columns_[task->cell];
    if (column.played == 0) break;
    expected += column.seconds / static_cast<double>(column.played);
  }
  return tasks;
}

void Board::bring(PlayedTrial played) {
  const std::lock_guard lock(mutex_);
  --out_;
  accept(std::move(played));
}

bool Board::open() {
  const std::lock_guard lock(mutex_);
  return !closed() && (out_ > 0 || row_ < last_row_);
}

RunOutcome Board::outcome(unsigned threads) const {
  if (error_) std::rethrow_exception(error_);
  return {.complete = failures_.empty() && progress_.trials_done == progress_.trials_total,
          .threads = threads,
          .new_trials = progress_.trials_done,
          .failures = failures_};
}

std::optional<TrialTask> Board::take(Seat& seat) {
  std::unique_lock lock(mutex_);
  // Results must not pile up behind a slow trial.
  changed_.wait(lock, [&] { return !crowded() || closed(); });
  const auto task = next();
  if (task) seat.cell = task->cell;
  return task;
}

std::optional<TrialTask> Board::next() {
  while (!closed() && row_ < last_row_) {
    const std::size_t cell = cell_;
    const std::uint64_t row = row_;
    if (++cell_ == columns_.size()) {
      cell_ = 0;
      ++row_;
    }
    const Column& column = columns_[cell];
    if (!column.broken && row >= folder_.done(cell) && row < column.wanted) {
      return TrialTask{cell, column.slice.trial(row)};
    }
  }
  return std::nullopt;
}

void Board::accept(PlayedTrial played) {
  if (error_) return;
  try {
    keep(std::move(played));
  } catch (...) {
    error_ = std::current_exception();
  }
  changed_.notify_all();
}

void Board::keep(PlayedTrial played) {
  const std::size_t cell = played.task.cell;
  Column& column = columns_[cell];
  if (!played.error.empty()) {
    if (!column.broken) failures_.push_back(std::move(played.error));
    column.broken = true;
    waiting_ -= column.waiting.size();
    column.waiting.clear();
  } else if (!column.broken) {
    column.waiting.emplace(played.task.trial, std::move(played));
    ++waiting_;
    write(cell);
  }
}

// Writes the results that are next in order for this cell.
void Board::write(std::size_t cell) {
  Column& column = columns_[cell];
  for (auto ready = column.waiting.find(column.slice.trial(column.next));
       ready != column.waiting.end();
       ready = column.waiting.find(column.slice.trial(++column.next))) {
    folder_.append(cell, ready->second.record, ready->second.seconds);
    ++column.played;
    column.seconds += ready->second.seconds;
    column.waiting.erase(ready);
    --waiting_;
    ++progress_.trials_done;
  }
}

// Steps of this cell in trials that were played and in those that are being played.
double Board::steps_done(std::size_t cell) const {
  const Column& column = columns_[cell];
  if (column.broken) return 0.0;
  double steps = static_cast<double>(column.played + column.waiting.size()) * steps_of(cell);
  for (const Seat& seat : seats_) {
    if (seat.cell == cell) steps += static_cast<double>(seat.steps.load());
  }
  return steps;
}

double Board::steps_done() const {
  double steps = 0.0;
  for (std::size_t c = 0; c < columns_.size(); ++c) steps += steps_done(c);
  return steps;
}

// A step of a cell that has no whole trial yet is assumed to cost as much as one of the others.
double Board::share_done() const {
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
    const auto missing = static_cast<double>(column.wanted - std::min(column.next, column.wanted));
    const double now = steps_done(c);
    done += step * now;
    left += step * std::max(0.0, (missing + played) * steps_of(c) - now);
  }
  return done > 0.0 ? done / (done + left) : 0.0;
}

double Board::steps_of(std::size_t cell) const {
  return static_cast<double>(experiment_.cells[cell].steps);
}

bool Board::closed() const {
  return error_ != nullptr || (stop_ != nullptr && stop_->load(std::memory_order_relaxed));
}

}  // namespace sau
