#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sau/run/runner.hpp"

namespace sau {

// Hands out the missing trials and writes the results to the folder, in trial order.
class Board final : public TrialDesk {
 public:
  Board(const Experiment& experiment, ResultFolder& folder, unsigned players,
        const RunOptions& options);

  // The main loop of worker number `worker`.
  void work(std::size_t worker);
  // Reports progress until all workers have left: at least once, even if they finish first.
  void watch(unsigned workers, const std::function<void(const Progress&)>& report);
  // Plays in this thread, one of those that watch() waits for. An exception ends the run, and
  // outcome() throws it.
  void take_part(const std::function<void()>& play);

  std::vector<TrialTask> fetch(double seconds) override;
  void bring(PlayedTrial played) override;
  bool open() override;

  RunOutcome outcome(unsigned threads) const;

 private:
  // The trials of a cell are numbered by their place among those that this shard has.
  struct Column {
    TrialSlice slice;
    std::uint64_t next = 0;    // the trial to be written next
    std::uint64_t wanted = 0;  // trials that the file should have
    bool broken = false;       // the cell cannot be run: hand out no more of it
    std::uint64_t played = 0;  // trials played in this run
    double seconds = 0.0;      // their processor time
    std::map<std::uint64_t, PlayedTrial> waiting;
  };

  // A worker's place: the trial it is playing and how far it is.
  struct Seat {
    std::optional<std::size_t> cell;
    std::atomic<std::uint64_t> steps = 0;
  };

  // All of these need the mutex.
  std::optional<TrialTask> next();
  // Nothing is accepted after an error: a trial may be in the folder in part.
  void accept(PlayedTrial played);
  void keep(PlayedTrial played);
  void write(std::size_t cell);
  double steps_done(std::size_t cell) const;
  double steps_done() const;
  double share_done() const;
  double steps_of(std::size_t cell) const;
  bool closed() const;
  bool crowded() const { return waiting_ >= window_; }

  std::optional<TrialTask> take(Seat& seat);

  const Experiment& experiment_;
  ResultFolder& folder_;
  const TrialFunction& run_trial_;
  const std::size_t window_;
  const std::atomic<bool>* stop_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Column> columns_;
  std::deque<Seat> seats_;
  std::uint64_t row_ = 0, last_row_ = 0;
  std::size_t cell_ = 0, waiting_ = 0;
  std::uint64_t out_ = 0;  // handed out and not brought yet
  unsigned left_ = 0;
  Progress progress_;
  std::vector<std::string> failures_;
  std::exception_ptr error_;
};

}  // namespace sau
