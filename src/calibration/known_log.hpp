#pragma once

#include <cstdint>
#include <vector>

#include "sau/evaluate/array_choices.hpp"
#include "sau/run/experiment.hpp"

namespace sau::detail {

// A log for which the reward of every action is known, also of those that were not played.
class KnownLog {
 public:
  // Trains the policies of the study, then lets the agent of the log play and learn.
  KnownLog(const EvaluationStudy& study, const EvaluationStudy::Log& log, std::uint64_t seed,
           std::uint64_t trial);

  // What was logged; valid as long as this object.
  ChoiceArrays arrays() const;
  std::size_t rows() const noexcept { return chosen_.size(); }
  // The chance of every action under a policy.
  std::span<const double> policy(std::size_t policy, std::size_t row) const {
    return std::span(policies_[policy]).subspan(row * actions_, actions_);
  }
  // What a policy earns in this decision on average, over its own draws.
  double truth(std::size_t policy, std::size_t row) const;
  double mean_reward() const;

 private:
  std::size_t dim_ = 0;
  Action actions_ = 0;
  std::vector<double> contexts_;
  std::vector<Action> chosen_;
  std::vector<double> paid_;     // the logged rewards
  std::vector<double> chance_;   // of the chosen actions
  std::vector<double> chances_;  // of all actions
  std::vector<double> rewards_;  // of all actions
  std::vector<std::vector<double>> policies_;
};

}  // namespace sau::detail
