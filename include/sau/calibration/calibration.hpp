#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sau/evaluate/intervals.hpp"
#include "sau/run/experiment.hpp"

namespace sau {

struct CalibrationOptions {
  std::uint64_t seed = 1;
  double alpha = 0.05;                      // the chance that an interval may miss
  unsigned threads = 0;                     // 0: one per core; does not change the result
  const std::atomic<bool>* stop = nullptr;  // set by the caller to end early
  // Called with the number of finished logs and of all. By one thread at a time.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

// How far an estimator was from the truth.
struct EstimatorError {
  std::string estimator = {};   // "dr x5": with a reward model that is cross-fitted in five folds
  double bias = 0.0;            // mean error
  double root_square = 0.0;     // root of the mean squared error
  std::uint64_t undefined = 0;  // logs for which it gave no number; they are left out
};

// How often an interval missed the truth.
struct IntervalMisses {
  IntervalKind kind = IntervalKind::kAnytime;
  std::string estimator = {};  // that it belongs to
  std::uint64_t at_end = 0;    // logs in which it missed after the last decision
  std::uint64_t ever = 0;      // of anytime: logs in which it missed at some decision
  double width = 0.0;          // median, after the last decision
};

// One policy, judged from many logs of one agent on one problem.
struct PolicyCalibration {
  Cell log;                 // who made the logs, on which problem; how long they are and how many
  std::string policy = {};  // its name in the study
  double truth = 0.0, logged = 0.0;  // mean reward of the policy and of the logs
  double effective_size = 0.0;       // median
  std::vector<EstimatorError> estimators = {};
  std::vector<IntervalMisses> intervals = {};
};

// The errors of all policies on the logs of one agent on one problem, taken together, with a
// cross-fitted reward model.
struct PairErrors {
  std::string problem = {}, log = {};
  double dr = 0.0;        // root of the mean squared error
  std::string best = {};  // of ips, snips and dm
  double best_error = 0.0;

  double ratio() const noexcept { return dr / best_error; }
};

// Makes logs whose truth is known and evaluates the policies of the study from them. In a
// laboratory problem every action's reward is known, so the truth is what the policy would have
// earned on exactly these decisions. A pure function of study and seed. Empty if `stop` ended it.
std::vector<PolicyCalibration> calibrate(const EvaluationStudy& study,
                                         const CalibrationOptions& options);

std::vector<PairErrors> pair_errors(const std::vector<PolicyCalibration>& results);

}  // namespace sau
