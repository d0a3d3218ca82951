#include "sau/serve/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sau {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kModes = {"Online", "Apprentice", "LoggingOnly"};
constexpr std::array<std::string_view, 2> kAggregations = {"earliest", "sum"};
constexpr std::array<std::string_view, 2> kOutOfRange = {"refuse", "clip"};

Failure bad(std::string_view target, std::string expected, const Json& found) {
  // dump() throws at bad UTF-8, but the parser has refused that already.
  return {Failure::Code::kBadRequest,
          fmt::format("expected {}, found {}", expected, found.dump().substr(0, 64)),
          std::string(target)};
}

std::optional<Failure> read_number(const Json& value, std::string_view target, double low,
                                   double high, double& out) {
  if (!value.is_number() || !(value.get<double>() >= low) || !(value.get<double>() <= high)) {
    return bad(target, fmt::format("a number from {} to {}", low, high), value);
  }
  out = value.get<double>();
  return std::nullopt;
}

template <std::size_t N, class E>
std::optional<Failure> read_name(const Json& value, std::string_view target,
                                 const std::array<std::string_view, N>& names, E& out) {
  for (std::size_t i = 0; i < N; ++i) {
    if (value.is_string() && value.get_ref<const std::string&>() == names[i]) {
      out = static_cast<E>(i);
      return std::nullopt;
    }
  }
  return bad(target, fmt::format("one of {}", fmt::join(names, ", ")), value);
}

std::optional<Failure> read_time(const Json& value, std::string_view target, Milliseconds& out) {
  if (!value.is_string()) return bad(target, "an ISO 8601 time, such as \"PT10M\"", value);
  const auto duration = read_duration(value.get_ref<const std::string&>(), target);
  if (!duration.ok()) return duration.failure();
  out = duration.value();
  return std::nullopt;
}

std::optional<Failure> read_policy(const Json& value, Policy& to) {
  if (!value.is_object() || !value.contains("name") || !value["name"].is_string() ||
      !value.contains("arguments") || !value["arguments"].is_string()) {
    return bad("policy", "an object with name and arguments", value);
  }
  to = {.name = value["name"].get<std::string>(), .agent = value["arguments"].get<std::string>()};
  return std::nullopt;
}

std::optional<Failure> read_field(std::string_view name, const Json& value, Configuration& to) {
  constexpr double kLongestRetention = 36'500.0;
  if (name == "rewardWaitTime") return read_time(value, name, to.reward_wait_time);
  if (name == "modelExportFrequency") return read_time(value, name, to.model_export_frequency);
  if (name == "defaultReward") {
    return read_number(value, name, -kLargestReward, kLargestReward, to.default_reward);
  }
  if (name == "rewardMinimum") {
    return read_number(value, name, -kLargestReward, kLargestReward, to.reward_minimum);
  }
  if (name == "rewardMaximum") {
    return read_number(value, name, -kLargestReward, kLargestReward, to.reward_maximum);
  }
  if (name == "rewardOutOfRange") {
    return read_name(value, name, kOutOfRange, to.reward_out_of_range);
  }
  if (name == "explorationPercentage") {
    to.exploration_percentage.reset();
    if (value.is_null()) return std::nullopt;
    return read_number(value, name, 0.0, 1.0, to.exploration_percentage.emplace());
  }
  if (name == "probabilityFloor") {
    return read_number(value, name, 0.0, 1.0, to.probability_floor);
  }
  if (name == "rewardAggregation") {
    return read_name(value, name, kAggregations, to.reward_aggregation);
  }
  if (name == "learningMode") return read_name(value, name, kModes, to.learning_mode);
  if (name == "isAutoOptimizationEnabled") {
    if (!value.is_boolean()) return bad(name, "true or false", value);
    to.auto_optimization = value.get<bool>();
    return std::nullopt;
  }
  if (name == "autoOptimizationFrequency") {
    if (auto wrong = read_time(value, name, to.auto_optimization_frequency)) return wrong;
    if (to.auto_optimization_frequency > 0) return std::nullopt;
    return bad(name, "a time of more than 0", value);
  }
  if (name == "autoOptimizationStartDate") {
    const auto time = value.is_string() ? parse_time(value.get_ref<const std::string&>())
                                        : std::optional<Milliseconds>();
    if (!time) return bad(name, "a time, such as \"2026-11-16T05:52:39Z\"", value);
    to.auto_optimization_start = *time;
    return std::nullopt;
  }
  if (name == "policy") return read_policy(value, to.policy);
  if (name == "gate") {
    if (!value.is_object() || !value.contains("trial") || !value["trial"].is_string()) {
      return bad(name, "an object with trial, name and arguments", value);
    }
    to.trial = value["trial"].get<std::string>();
    return read_policy(value, to.candidate);
  }
  if (name == "removeUntil") {
    if (!value.is_number_unsigned()) return bad(name, "the number of a record", value);
    to.remove_until = value.get<Sequence>();
    return std::nullopt;
  }
  if (name == "logRetentionDays") {
    double days = 0.0;
    if (auto wrong = read_number(value, name, -1.0, kLongestRetention, days)) return wrong;
    if (days != std::floor(days)) return bad(name, "whole days, or -1 for ever", value);
    to.log_retention_days = static_cast<std::int64_t>(days);
    return std::nullopt;
  }
  // Clients of the retired service send back all the fields they were given; these mean nothing
  // here.
  for (const std::string_view other :
       {"lastConfigurationEditDate", "logMirrorEnabled", "logMirrorSasUri"}) {
    if (name == other) return std::nullopt;
  }
  return Failure{Failure::Code::kBadRequest, "there is no such setting",
                 std::string(name.substr(0, 64))};
}

// Settings that must fit together, whichever of them `json` changes.
std::optional<Failure> check_bounds(const Json& json, const Configuration& read) {
  const auto wrong = [](std::string message, const char* target) {
    return Failure{Failure::Code::kBadRequest, std::move(message), target};
  };
  const double low = read.reward_minimum, high = read.reward_maximum;
  if (!(low < high)) {
    return wrong(fmt::format("rewardMinimum {} is not less than rewardMaximum {}", low, high),
                 json.contains("rewardMinimum") ? "rewardMinimum" : "rewardMaximum");
  }
  if (read.default_reward < low || read.default_reward > high) {
    return wrong(fmt::format("defaultReward {} is not from rewardMinimum {} to rewardMaximum {}; "
                             "change them in one request",
                             read.default_reward, low, high),
                 json.contains("defaultReward") ? "defaultReward"
                 : read.default_reward < low    ? "rewardMinimum"
                                                : "rewardMaximum");
  }
  return std::nullopt;
}

}  // namespace

Result<Milliseconds> read_duration(std::string_view text, std::string_view target) {
  if (const auto duration = parse_duration(text)) return *duration;
  return Failure{Failure::Code::kBadRequest,
                 fmt::format("'{}' is not a time; expected ISO 8601 from PT0S to P10000D, such "
                             "as PT10M or P1DT12H",
                             text.substr(0, 64)),
                 std::string(target)};
}

Configuration configuration_of_old_folders() {
  Configuration before;
  before.reward_minimum = -kLargestReward;
  before.reward_maximum = kLargestReward;
  before.probability_floor = 0.0;
  return before;
}

Result<double> bounded_reward(double value, const Configuration& configuration) {
  const double low = configuration.reward_minimum, high = configuration.reward_maximum;
  if (value >= low && value <= high) return value;
  if (configuration.reward_out_of_range == RewardOutOfRange::kClip && !std::isnan(value)) {
    return std::clamp(value, low, high);
  }
  return Failure{Failure::Code::kBadRequest,
                 fmt::format("the reward {} is not from {} to {}: set rewardMinimum and "
                             "rewardMaximum to your range in the service configuration, "
                             "up to 1e9 of either sign, or rewardOutOfRange to clip",
                             value, low, high),
                 "value"};
}

std::string_view name_of(LearningMode mode) { return kModes[static_cast<std::size_t>(mode)]; }

std::string to_json(const Configuration& configuration) {
  Json json = {
      {"rewardWaitTime", write_duration(configuration.reward_wait_time)},
      {"defaultReward", configuration.default_reward},
      {"rewardMinimum", configuration.reward_minimum},
      {"rewardMaximum", configuration.reward_maximum},
      {"rewardOutOfRange",
       kOutOfRange[static_cast<std::size_t>(configuration.reward_out_of_range)]},
      {"rewardAggregation",
       kAggregations[static_cast<std::size_t>(configuration.reward_aggregation)]},
      {"explorationPercentage",
       configuration.exploration_percentage ? Json(*configuration.exploration_percentage) : Json()},
      {"probabilityFloor", configuration.probability_floor},
      {"modelExportFrequency", write_duration(configuration.model_export_frequency)},
      {"logRetentionDays", configuration.log_retention_days},
      {"learningMode", name_of(configuration.learning_mode)},
      {"isAutoOptimizationEnabled", configuration.auto_optimization},
      {"autoOptimizationFrequency", write_duration(configuration.auto_optimization_frequency)},
      {"autoOptimizationStartDate", write_time(configuration.auto_optimization_start)},
  };
  if (const Policy& policy = configuration.policy; policy != Policy{}) {
    json["policy"] = {{"name", policy.name}, {"arguments", policy.agent}};
  }
  if (!configuration.trial.empty()) {
    json["gate"] = {{"trial", configuration.trial},
                    {"name", configuration.candidate.name},
                    {"arguments", configuration.candidate.agent}};
  }
  if (configuration.remove_until > 0) json["removeUntil"] = configuration.remove_until;
  return json.dump();
}

Result<Configuration> read_configuration(std::string_view json, const Configuration& before) {
  auto read = read_stored_configuration(json, before);
  if (!read.ok()) return read;
  if (read.value().policy != before.policy) {
    return Failure{Failure::Code::kBadRequest,
                   "the policy has a call of its own: PUT /configurations/policy", "policy"};
  }
  if (read.value().trial != before.trial || read.value().candidate != before.candidate) {
    return Failure{Failure::Code::kBadRequest, "the gate has calls of its own: /v1/gate", "gate"};
  }
  if (read.value().remove_until != before.remove_until) {
    return Failure{Failure::Code::kBadRequest,
                   "the log is removed by a call of its own: DELETE /logs", "removeUntil"};
  }
  return read;
}

Result<Configuration> read_stored_configuration(std::string_view json,
                                                const Configuration& before) {
  constexpr int kDeepest = 8;
  bool too_deep = false;
  const auto watch = [&too_deep](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  const Json root = Json::parse(json, watch, /*allow_exceptions=*/false);
  if (root.is_discarded() || too_deep || !root.is_object()) {
    return Failure{Failure::Code::kBadRequest, "the request is not a JSON object"};
  }
  Configuration read = before;
  for (const auto& [name, value] : root.items()) {
    // A field that is null counts as absent; with the exception of this one, which may be unset.
    if (value.is_null() && name != "explorationPercentage") continue;
    if (auto wrong = read_field(name, value, read)) return std::move(*wrong);
  }
  if (auto wrong = check_bounds(root, read)) return std::move(*wrong);
  return read;
}

}  // namespace sau
