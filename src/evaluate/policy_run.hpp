#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/prepare.hpp"
#include "sau/core/rng.hpp"
#include "sau/evaluate/evaluate.hpp"

namespace sau::detail {

// One policy on its way through the log. Used by one thread at a time.
class PolicyRun {
 public:
  PolicyRun(PolicyPlan plan, std::size_t features, const EvaluateOptions& options);

  void follow(const PreparedBatch& batch);
  PolicyResult finish(const Preparation& log, const std::vector<std::string>& by,
                      const EvaluationResult& whole);

 private:
  struct Shares {
    double policy = 0.0, largest_weight = 0.0;
  };
  struct Segment {
    PolicyScore score;
    double reward = 0.0;  // sum
  };
  void add_point();
  void score(const PreparedBatch& batch, std::size_t i, const LoggedChoice& choice);
  void replay(const LoggedChoice& choice);
  void add_segments(const PreparedBatch& batch, std::size_t i, const LoggedChoice& choice);
  void find_refusals(PolicyResult& result, const EvaluationResult& whole) const;
  void find_warnings(PolicyResult& result) const;
  void add_actions(PolicyResult& result, const Preparation& log) const;

  PolicyPlan plan_;
  std::size_t features_;
  const EvaluateOptions& options_;
  bool learns_, weighs_;
  PolicyScore score_;
  std::vector<double> policy_;  // of one decision
  std::vector<Shares> shares_;  // by action number
  std::vector<std::uint64_t> weights_;
  std::vector<CoursePoint> course_;
  std::uint64_t next_point_ = 10;
  Milliseconds time_ = 0;  // of the last decision that was scored
  std::map<std::pair<std::size_t, std::uint32_t>, Segment> segments_;
  Rng rng_;
  ReplayResult replay_;
  double replay_squares_ = 0.0;  // Welford
};

}  // namespace sau::detail
