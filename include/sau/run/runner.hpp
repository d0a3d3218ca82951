#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/late.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/problem/offer_problem.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"

namespace sau {

// How far a run is; passed to RunOptions::progress about five times a second.
struct Progress {
  std::uint64_t trials_done = 0;   // in this run
  std::uint64_t trials_total = 0;  // missing when this run began
  double steps_done = 0.0;         // with those of the trials that are being played
  double steps_total = 0.0;
  double seconds = 0.0;  // since it began
  // Share of the work that is done, weighted by the processor time of each cell's trials: a step of
  // one agent may cost as much as a thousand steps of another.
  double share = 0.0;
};

// Plays one trial into `record`: a pure function of the cell, the seed and the trial's number.
// `index` is the cell's index in the experiment. Returns false when `control` ended the trial
// early. Throws Error when the cell cannot be run at all.
using TrialFunction = std::function<bool(std::size_t index, const Cell& cell, std::uint64_t seed,
                                         std::uint64_t trial, std::span<const std::uint64_t> points,
                                         const TrialControl& control, TrialRecord& record)>;

// Plays a trial of a cell whose specs are in the catalogue.
bool run_trial(const Cell& cell, std::uint64_t seed, std::uint64_t trial,
               std::span<const std::uint64_t> points, const TrialControl& control,
               TrialRecord& record);

// The second half of run_trial(), for agents and problems made elsewhere; `points` as from
// curve_points(steps). The trial has failed if the agent then reports a fault, or if total regret
// or reward is not finite: the record holds the reason and no numbers. Rewards arrive as `late`
// says; its random draws come from a separate stream, not the problem's.
bool play_trial(AnyAgent& agent, Problem& problem, Streams rng, std::uint64_t steps,
                std::span<const std::uint64_t> points, const TrialControl& control,
                TrialRecord& record, const Lateness& late = {});
bool play_trial(OfferAgent& agent, OfferProblem& problem, Streams rng, std::uint64_t steps,
                std::span<const std::uint64_t> points, const TrialControl& control,
                TrialRecord& record, const Lateness& late = {});

// A trial to play, and what came of it.
struct TrialTask {
  std::size_t cell = 0;  // index in the experiment
  std::uint64_t trial = 0;
};
struct PlayedTrial {
  TrialTask task;
  TrialRecord record = {};
  double seconds = 0.0;    // processor time
  std::string error = {};  // why the cell cannot be run; then there is no record
};

// Plays a trial with `play` as a worker of the runner does: an exception becomes the error.
// Returns nothing if the trial was ended early.
std::optional<PlayedTrial> play_task(const Experiment& experiment, const TrialTask& task,
                                     const TrialFunction& play, const TrialControl& control);

// Players fetch the trials of a run here, and bring back the results. Thread-safe.
class TrialDesk {
 public:
  // The next trials to play: at least one, and as many as should take `seconds` of processor time
  // together. Empty if there is none at the moment, or no more.
  virtual std::vector<TrialTask> fetch(double seconds) = 0;
  virtual void bring(PlayedTrial played) = 0;
  // False when every trial that was fetched has been brought and there are no more, or when the run
  // is to end early.
  virtual bool open() = 0;

 protected:
  ~TrialDesk() = default;
};

// Plays the trials of a run instead of the threads of this process.
class Players {
 public:
  virtual ~Players() = default;
  virtual unsigned count() const = 0;
  virtual unsigned most_on_one_machine() const = 0;  // that share its memory
  // Plays until the desk is no longer open. Called by a thread of the runner. May throw.
  virtual void play(const Experiment& experiment, TrialDesk& desk) = 0;
};

struct RunOptions {
  unsigned threads = 0;                     // 0: one per core
  const std::atomic<bool>* stop = nullptr;  // set by the caller to end early
  std::function<void(const Progress&)> progress = {};
  TrialFunction trial = {};    // called by all threads concurrently; empty: run_trial
  Players* players = nullptr;  // play instead of threads; `threads` and `trial` then do not matter
};

struct RunOutcome {
  bool complete = false;              // every requested trial is in the folder
  unsigned threads = 0;               // number used
  std::uint64_t new_trials = 0;       // written by this run
  std::vector<std::string> failures;  // one line per cell that cannot be run; the others were run
};

// Runs the trials of the experiment's shard that are missing in `folder`, which was opened for this
// experiment, on all cores. Takes one trial of each cell in turn, so that a run that is stopped
// early has some trials of every cell. A failed trial is written like any other. Throws Error when
// the machine has not enough memory, and when the folder cannot be written; its contents stay
// valid.
RunOutcome run(const Experiment& experiment, ResultFolder& folder, const RunOptions& options);

}  // namespace sau
