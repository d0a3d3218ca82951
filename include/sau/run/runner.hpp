#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
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

// How far a run is; handed to RunOptions::progress about five times a second.
struct Progress {
  std::uint64_t trials_done = 0;   // in this run
  std::uint64_t trials_total = 0;  // that were missing when it began
  double steps_done = 0.0;
  double steps_total = 0.0;
  double seconds = 0.0;  // since it began
  // Share of the work that is done, by the processor time that trials of each cell take: a step
  // of one agent may cost a thousand of another's.
  double share = 0.0;
};

// Plays one trial into `record`: a pure function of the cell, the seed and the trial's number.
// `index` is the place of the cell in the experiment. Returns false when `stop` ended the trial
// early. Throws Error when the cell cannot be run at all.
using TrialFunction = std::function<bool(std::size_t index, const Cell& cell, std::uint64_t seed,
                                         std::uint64_t trial, std::span<const std::uint64_t> points,
                                         const std::atomic<bool>* stop, TrialRecord& record)>;

// Plays a trial of a cell whose specs are in the catalogue.
bool run_trial(const Cell& cell, std::uint64_t seed, std::uint64_t trial,
               std::span<const std::uint64_t> points, const std::atomic<bool>* stop,
               TrialRecord& record);

// Its second half, for agents and problems made elsewhere; `points` as curve_points(steps). A trial
// after which the agent has a fault, or whose total regret or reward is not a finite number, has
// failed: its record holds the reason and no numbers. Rewards arrive as `late` says; what it draws
// comes from a stream of its own beside the problem's.
bool play_trial(AnyAgent& agent, Problem& problem, Streams rng, std::uint64_t steps,
                std::span<const std::uint64_t> points, const std::atomic<bool>* stop,
                TrialRecord& record, const Lateness& late = {});
bool play_trial(OfferAgent& agent, OfferProblem& problem, Streams rng, std::uint64_t steps,
                std::span<const std::uint64_t> points, const std::atomic<bool>* stop,
                TrialRecord& record, const Lateness& late = {});

struct RunOptions {
  unsigned threads = 0;                     // 0: one per core
  const std::atomic<bool>* stop = nullptr;  // set from outside to end early
  std::function<void(const Progress&)> progress = {};
  TrialFunction trial = {};  // called by all threads at once; empty: run_trial
};

struct RunOutcome {
  bool complete = false;              // every trial asked for is in the folder
  unsigned threads = 0;               // that were used
  std::uint64_t new_trials = 0;       // written by this run
  std::vector<std::string> failures;  // one line a cell that cannot be run; the others went on
};

// Runs the trials that are missing in `folder`, which was opened for this experiment, on all
// cores. Work is dealt out trial by trial over all cells, so that a run that is stopped early has
// something of each. A trial that failed is written like any other. Throws Error when the folder
// cannot be written; what it holds stays valid.
RunOutcome run(const Experiment& experiment, ResultFolder& folder, const RunOptions& options);

}  // namespace sau
