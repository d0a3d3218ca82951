#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sau {

// What the estimators see of a decision.
struct ScoredChoice {
  double weight = 0.0;        // w = pi(a) / p, for the action a that was chosen
  double reward = 0.0;        // r
  double predicted = 0.0;     // r^(a), by the reward model
  double direct = 0.0;        // D = sum over actions of pi r^
  double group_weight = 0.0;  // w of the group of actions with the features of a; NaN if unknown
  double importance = 1.0;    // u: how many decisions it stands for
};

// An estimate of what a policy would have earned per decision. It is a mean over decisions,
// weighted by their importance, or a ratio of such means; only sums are kept.
class Estimator {
 public:
  virtual ~Estimator() = default;

  virtual void add(const ScoredChoice& choice) noexcept = 0;
  // NaN if it is undefined: there is no decision, or no weight.
  virtual double value() const noexcept = 0;
  // The squared standard error of value(); NaN if undefined.
  virtual double squared_error() const noexcept = 0;
  // What a decision contributes to value(): the mean of all contributions is value(). For a ratio
  // it is linearised there (the delta method). For resampling, after the last decision.
  virtual double contribution(const ScoredChoice& choice) const noexcept = 0;
  // A setting that was chosen from the log, such as "tau=8"; empty if there is none.
  virtual std::string setting() const { return {}; }
};

struct EstimatorSettings {
  double clip = 0.0;    // of ips: larger weights count as this; 0: no limit
  double tau = 0.0;     // of switch; 0: chosen by SLOPE
  double lambda = 0.0;  // of dros; 0: chosen by SLOPE
};

struct EstimatorInfo {
  std::string_view name, summary;
  bool weighs;    // uses logged chances
  bool predicts;  // uses the reward model
};

// All estimators, in the order of documentation.
std::span<const EstimatorInfo> list_estimators();
// Throws UsageError for an unknown name.
const EstimatorInfo& estimator_info(std::string_view name);
std::unique_ptr<Estimator> make_estimator(std::string_view name,
                                          const EstimatorSettings& settings = {});

}  // namespace sau
