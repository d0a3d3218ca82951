#include "evaluations/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/evaluate/intervals.hpp"
#include "serve/decide.hpp"

namespace sau::detail {
namespace {

using SummaryJson = nlohmann::ordered_json;

SummaryJson number_or_null(double value) {
  return std::isfinite(value) ? SummaryJson(value) : SummaryJson();
}

class SummedTarget final : public Target {
 public:
  SummedTarget(std::unique_ptr<Target> target, std::shared_ptr<PolicySums> sums)
      : Target(target->name()), target_(std::move(target)), sums_(std::move(sums)) {}

  std::string agent() const override { return target_->agent(); }
  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    target_->probabilities(choice, out);
    sums_->add(choice.time, out[choice.chosen] / choice.chance, choice.reward);
  }
  void learn(const LoggedChoice& choice) override { target_->learn(choice); }
  std::string complaint() const override { return target_->complaint(); }

 private:
  std::unique_ptr<Target> target_;
  std::shared_ptr<PolicySums> sums_;
};

class ServedTarget final : public Target {
 public:
  ServedTarget(std::string name, const std::string& agent, std::uint64_t seed,
               Configuration configuration)
      : Target(std::move(name)),
        agent_(make_offer_agent(agent, seed)),
        configuration_(std::move(configuration)) {}

  std::string agent() const override { return agent_->spec(); }
  void probabilities(const LoggedChoice& choice, std::span<double> out) override {
    forecasts_.resize(choice.actions.size());
    decide_as_served(*agent_, configuration_, choice.context, choice.actions, forecasts_);
    std::ranges::transform(forecasts_, out.begin(), &Forecast::probability);
  }
  // As the service does it: with the value that was predicted when the decision was scored.
  void learn(const LoggedChoice& choice) override {
    const RewardRange range = agent_->rewards();
    agent_->learn(choice.context, choice.actions[choice.chosen], forecasts_[choice.chosen].value,
                  std::clamp(choice.reward, range.min, range.max), choice.chance);
    if (const std::string fault = agent_->fault(); !fault.empty()) {
      throw Error(agent_->spec() + ": " + fault);
    }
  }

 private:
  std::unique_ptr<OfferAgent> agent_;
  Configuration configuration_;
  std::vector<Forecast> forecasts_;
};

}  // namespace

void WeightSums::add(double weight, double reward) noexcept {
  ++decisions;
  if (weight > 0.0) ++possible;
  weights += weight;
  rewards += weight * reward;
  squares += weight * reward * weight * reward;
}

SummaryJson WeightSums::summary(Milliseconds begin, Milliseconds window) const {
  const auto n = static_cast<double>(decisions);
  const double mean = decisions == 0 ? kUndefined : rewards / n;
  const double variance = (squares / n - mean * mean) / (n - 1.0);  // of the mean
  const Interval ends = normal_interval(mean, std::max(variance, 0.0), 0.05);
  return {{"timeStamp", write_time(begin)},
          {"ipsEstimatorNumerator", rewards},
          {"ipsEstimatorDenominator", n},
          {"snipsEstimatorDenominator", weights},
          {"aggregateTimeWindow", write_duration(window)},
          {"nonZeroProbability", number_or_null(static_cast<double>(possible) / n)},
          {"sumOfSquares", squares},
          {"confidenceInterval", number_or_null((ends.high - ends.low) / 2.0)},
          {"averageReward", number_or_null(mean)}};
}

void PolicySums::add(Milliseconds time, double weight, double reward) {
  all_.add(weight, reward);
  by_time_[time - time % window_].add(weight, reward);
}

SummaryJson PolicySums::pieces() const {
  SummaryJson list = SummaryJson::array();
  for (const auto& [begin, sums] : by_time_) list.push_back(sums.summary(begin, window_));
  return list;
}

SummaryJson PolicySums::total(Milliseconds begin, Milliseconds end) const {
  return all_.summary(begin, end - begin);
}

std::unique_ptr<Target> summed(std::unique_ptr<Target> target, std::shared_ptr<PolicySums> sums) {
  return std::make_unique<SummedTarget>(std::move(target), std::move(sums));
}

std::unique_ptr<Target> served_target(const std::string& name, const std::string& agent,
                                      std::uint64_t seed, const Configuration& configuration) {
  return std::make_unique<ServedTarget>(name, agent, seed, configuration);
}

}  // namespace sau::detail
