#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sau/evaluate/choice_source.hpp"
#include "sau/evaluate/score.hpp"
#include "sau/evaluate/targets.hpp"

namespace sau {

// A policy and how it learns from the log. The simple policies do not learn.
struct PolicyPlan {
  std::unique_ptr<Target> target;
  Learning learning = Learning::kFollowing;
};

struct EvaluateOptions {
  ScoreSettings score = {};
  std::string reward_model = "hashed_linear";
  // 0: the reward model predicts from earlier decisions. Otherwise cross-fitting: the log is
  // divided into this many parts, and the model for each part learns from all the others (two
  // passes).
  std::uint64_t folds = 0;
  // The first share of the log is only learned from, by frozen policies and the reward model.
  // Nothing is scored there.
  double train = 0.0;
  double until = 1.0;   // the log ends after this share of it
  double accept = 0.0;  // of replayed policies: c, see docs/evaluation.md; 0: the number of actions
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: one per core; does not change the result
  // Called now and then with the last line read.
  std::function<void(std::uint64_t line)> progress = {};
};

// The value and its anytime interval after a number of decisions.
struct CoursePoint {
  std::uint64_t decisions = 0;
  double value = 0.0;
  Interval ends{}, gain{};
  Milliseconds time = 0;  // of the last of them; 0 if the log has none
};

struct ActionShare {
  std::string id;
  std::uint64_t logged = 0;                       // times chosen in the log
  double logged_share = 0.0, policy_share = 0.0;  // of all decisions
  double mean_reward = 0.0;                       // where it was chosen; NaN if never
  double largest_weight = 0.0;
};

struct SegmentResult {
  std::string feature, segment;
  std::uint64_t decisions = 0;
  double effective_size = 0.0;
  double logged = 0.0;  // mean reward
  std::vector<EstimateResult> estimates;
};

// What a replayed policy accepted and earned.
struct ReplayResult {
  std::uint64_t accepted = 0, offered = 0;
  std::uint64_t cut = 0;  // decisions where pi / (c p) was above 1
  double value = 0.0, error = 0.0;
  Interval ends{};
};

struct PolicyResult {
  std::string name, agent;
  std::string learning;  // empty for a policy that does not learn
  std::vector<EstimateResult> estimates;
  double gain = 0.0;  // over the logged policy
  Interval gain_ends{};
  Coverage coverage;
  // Mass on actions that were never chosen in the whole log, as a mean over decisions.
  double never_logged = 0.0;
  std::vector<std::string> refused;  // why the log cannot show this; empty if it can
  std::vector<std::string> warnings;
  std::vector<CoursePoint> course;
  std::vector<ActionShare> actions;    // by share of the policy, at most 1000
  std::vector<std::uint64_t> weights;  // how many weights are 0, below 2^-9, 2^-8, ..., 2^10, above
  std::vector<SegmentResult> segments;
  ReplayResult replay;
};

// Whether the logged chances fit the choices: how often actions were chosen and how often they
// should have been, by bins of the chance and by id.
struct ChanceBin {
  double low = 0.0, high = 0.0;
  double expected = 0.0, variance = 0.0;
  std::uint64_t observed = 0;
};
struct ChanceCheck {
  bool possible = false;  // all chances are logged
  std::vector<ChanceBin> bins;
  double chi_square = 0.0, p = 1.0;
  // The mean over decisions of 1 / (number of actions * chance of the chosen one): 1 if chances are
  // right and none is 0.
  double inverse = 0.0, inverse_z = 0.0;
};

struct EvaluationResult {
  std::string source;
  std::uint64_t decisions = 0;  // that were scored
  std::uint64_t learned = 0;    // that were only learned from
  // When they were made; 0 if the log does not have every time.
  Milliseconds first_time = 0, last_time = 0;
  std::map<std::string, std::uint64_t> skipped;
  double logged = 0.0, logged_error = 0.0;  // mean reward
  std::uint64_t actions = 0;                // different ids
  std::string reward_model;
  ScoreSettings score;
  ChanceCheck chances;
  std::vector<std::string> warnings;
  std::vector<PolicyResult> policies;
};

// Evaluates all policies in one pass over the log (two, with folds). `by` names the segments that
// the source gives with each decision. The result is the same for any number of threads.
EvaluationResult evaluate(ChoiceSource& source, std::vector<PolicyPlan> policies,
                          const std::vector<std::string>& by, const EvaluateOptions& options);

}  // namespace sau
