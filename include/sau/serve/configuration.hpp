#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sau/store/failure.hpp"
#include "sau/store/record.hpp"

namespace sau {

// Of either sign. Beyond it sums lose the ones and models their precision.
inline constexpr double kLargestReward = 1e9;

enum class RewardAggregation : std::uint8_t { kEarliest, kSum };

// What can be changed while the service runs. Times in milliseconds.
struct Configuration {
  Milliseconds reward_wait_time = 10LL * 60 * 1000;
  double default_reward = 0.0;
  RewardAggregation reward_aggregation = RewardAggregation::kEarliest;
  double exploration_percentage = 0.2;      // a share, 0 to 1, in spite of its name
  Milliseconds model_export_frequency = 0;  // how often what was learned is put to use; 0: at once
  std::int64_t log_retention_days = 90;     // -1: for ever
  LearningMode learning_mode = LearningMode::kOnline;

  bool operator==(const Configuration&) const = default;
};

std::string to_json(const Configuration& configuration);
// Fields that are not there keep the values of `before`; fields that are not known are refused.
Result<Configuration> read_configuration(std::string_view json, const Configuration& before);

std::string_view name_of(LearningMode mode);

// ISO 8601, days to seconds: "P1DT2H3M4.5S".
std::string write_duration(Milliseconds duration);
Result<Milliseconds> read_duration(std::string_view text, std::string_view target);
// "2026-11-16T05:52:39.123Z"
std::string write_time(Milliseconds time);

}  // namespace sau
