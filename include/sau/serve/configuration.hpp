#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sau/core/time_text.hpp"
#include "sau/store/failure.hpp"
#include "sau/store/record.hpp"

namespace sau {

// The bounds of rewards cannot be set wider than this, in either direction. Beyond it, sums lose
// the unit digit and models lose precision.
inline constexpr double kLargestReward = 1e9;

enum class RewardAggregation : std::uint8_t { kEarliest, kSum };
enum class RewardOutOfRange : std::uint8_t { kRefuse, kClip };

// Which agent makes the decisions: Personalizer's learning settings.
struct Policy {
  std::string name = "default";
  std::string agent = {};  // canonical spec; empty: the one that the folder was made with

  bool operator==(const Policy&) const = default;
};

// The settings that can be changed while the service runs. Times are in milliseconds.
struct Configuration {
  Milliseconds reward_wait_time = 10LL * 60 * 1000;
  double default_reward = 0.0;                         // within the bounds
  double reward_minimum = -1.0, reward_maximum = 1.0;  // of each reward, not of a sum of them
  RewardOutOfRange reward_out_of_range = RewardOutOfRange::kRefuse;
  RewardAggregation reward_aggregation = RewardAggregation::kEarliest;
  // Of uniform choices: a share from 0 to 1, in spite of its name. Empty: the strategy's own.
  std::optional<double> exploration_percentage = 0.2;
  // Each of n actions that may be chosen has at least this share, divided by n, of the probability,
  // whatever the strategy: a log in which actions have no chance says nothing about them.
  double probability_floor = 0.02;
  Milliseconds model_export_frequency = 0;  // how often the model in use is updated; 0: immediately
  std::int64_t log_retention_days = 90;     // -1: for ever
  LearningMode learning_mode = LearningMode::kOnline;

  // Automatic optimisation: now and then the gate gets the best of several candidates.
  bool auto_optimization = false;
  Milliseconds auto_optimization_frequency = 7LL * 24 * 60 * 60 * 1000;
  Milliseconds auto_optimization_start = 0;  // when it is first done; 0: immediately

  // These have calls of their own.
  Policy policy = {};
  std::string trial = {};  // the id of the trial that runs; empty: none
  Policy candidate = {};   // of that trial
  // Records up to this one, of any age, are removed as soon as no event among them waits.
  Sequence remove_until = 0;

  bool operator==(const Configuration&) const = default;
  // Whether the bounds are the widest possible.
  bool takes_any_reward() const noexcept {
    return reward_minimum <= -kLargestReward && reward_maximum >= kLargestReward;
  }
};

// What holds for settings that a stored configuration does not have, because they are newer than
// it: until somebody sets them, any reward is accepted, and probabilities have no floor.
Configuration configuration_of_old_folders();

// The value to log and to learn from: the reward itself, or the nearest bound. Fails when the
// reward is out of range and the configuration says to refuse it.
Result<double> bounded_reward(double value, const Configuration& configuration);

std::string to_json(const Configuration& configuration);
// What a caller sets. Absent fields keep the values of `before`; unknown fields are refused, and so
// are settings that have calls of their own, unless they stay as they are.
Result<Configuration> read_configuration(std::string_view json, const Configuration& before);
// Reads back what to_json() wrote.
Result<Configuration> read_stored_configuration(std::string_view json, const Configuration& before);

std::string_view name_of(LearningMode mode);

// An ISO 8601 duration (sau/core/time_text.hpp). A failure names `target`.
Result<Milliseconds> read_duration(std::string_view text, std::string_view target);

}  // namespace sau
