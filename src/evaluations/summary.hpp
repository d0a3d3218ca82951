#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "sau/evaluate/targets.hpp"
#include "sau/serve/configuration.hpp"

namespace sau::detail {

// Sums over decisions, from which Personalizer's summaries are made.
struct WeightSums {
  std::uint64_t decisions = 0, possible = 0;  // possible: the policy could have chosen the same
  double weights = 0.0, rewards = 0.0, squares = 0.0;  // of w, w r, (w r)^2

  void add(double weight, double reward) noexcept;
  // Personalizer's PolicyResultSummary. By inverse propensity: the mean of w r, and half the width
  // of its normal interval of 95 %; null where there is none.
  nlohmann::ordered_json summary(Milliseconds begin, Milliseconds window) const;
};

// The sums of a policy, by pieces of time.
class PolicySums {
 public:
  explicit PolicySums(Milliseconds window) : window_(window) {}

  void add(Milliseconds time, double weight, double reward);
  std::uint64_t decisions() const noexcept { return all_.decisions; }
  nlohmann::ordered_json pieces() const;
  nlohmann::ordered_json total(Milliseconds begin, Milliseconds end) const;

 private:
  Milliseconds window_;
  WeightSums all_;
  std::map<Milliseconds, WeightSums> by_time_;  // by the beginning of the piece
};

// The same policy, which adds up what it is asked about.
std::unique_ptr<Target> summed(std::unique_ptr<Target> target, std::shared_ptr<PolicySums> sums);

// An agent that learns from the log and would be served with this configuration: with its share of
// uniform choices and its floor.
std::unique_ptr<Target> served_target(const std::string& name, const std::string& agent,
                                      std::uint64_t seed, const Configuration& configuration);

}  // namespace sau::detail
