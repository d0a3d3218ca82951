#include <cmath>
#include <nlohmann/json.hpp>

#include "sau/evaluate/evaluation_text.hpp"

namespace sau {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinity.
Json json_of(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json json_of(const Interval& interval) { return {json_of(interval.low), json_of(interval.high)}; }

template <class E>
Json name_of(E value) {
  return std::string(enum_names(value)[static_cast<std::size_t>(value)]);
}

Json estimates(const std::vector<EstimateResult>& list, bool shown) {
  Json out = Json::array();
  for (const EstimateResult& e : list) {
    Json one{{"estimator", e.estimator},         {"value", shown ? json_of(e.value) : Json()},
             {"undefined", std::isnan(e.value)}, {"error", shown ? json_of(e.error) : Json()},
             {"interval", name_of(e.interval)},  {"ends", shown ? json_of(e.ends) : Json()}};
    if (!e.setting.empty()) one["setting"] = e.setting;
    out.push_back(std::move(one));
  }
  return out;
}

Json coverage(const PolicyResult& policy) {
  const Coverage& c = policy.coverage;
  return {{"effectiveSampleSize", json_of(c.effective_size())},
          {"largestWeight", json_of(c.largest)},
          {"largestWeightLine", c.largest_line},
          {"meanWeight", json_of(c.mean_weight())},
          {"meanWeightZ", json_of(c.mean_weight_z())},
          {"sumOfWeights", json_of(c.weights)},
          {"allChancesLogged", c.all_chances},
          {"missedMass", c.all_chances ? json_of(c.mean_missed()) : Json()},
          {"missedDecisions", c.missed_decisions},
          {"neverLoggedMass", json_of(policy.never_logged)},
          {"weightCounts", policy.weights}};
}

Json time_of(Milliseconds time) { return time == 0 ? Json() : Json(write_time(time)); }

Json course(const PolicyResult& policy) {
  Json out = Json::array();
  for (const CoursePoint& point : policy.course) {
    out.push_back({{"decisions", point.decisions},
                   {"value", json_of(point.value)},
                   {"ends", json_of(point.ends)},
                   {"gainEnds", json_of(point.gain)},
                   {"time", time_of(point.time)}});
  }
  return out;
}

Json actions(const PolicyResult& policy) {
  Json out = Json::array();
  for (const ActionShare& action : policy.actions) {
    out.push_back({{"id", action.id},
                   {"logged", action.logged},
                   {"loggedShare", json_of(action.logged_share)},
                   {"policyShare", json_of(action.policy_share)},
                   {"meanReward", json_of(action.mean_reward)},
                   {"largestWeight", json_of(action.largest_weight)}});
  }
  return out;
}

Json segments(const PolicyResult& policy, bool shown) {
  Json out = Json::array();
  for (const SegmentResult& segment : policy.segments) {
    out.push_back({{"feature", segment.feature},
                   {"segment", segment.segment},
                   {"decisions", segment.decisions},
                   {"effectiveSampleSize", json_of(segment.effective_size)},
                   {"logged", json_of(segment.logged)},
                   {"estimates", estimates(segment.estimates, shown)}});
  }
  return out;
}

Json policy_json(const PolicyResult& policy, bool forced) {
  const bool shown = policy.refused.empty() || forced;
  Json out{{"policy", policy.name}};
  if (!policy.agent.empty()) {
    out["agent"] = policy.agent;
    out["learning"] = policy.learning;
  }
  out["refused"] = policy.refused;
  out["warnings"] = policy.warnings;
  if (policy.learning == "replayed") {
    const ReplayResult& replay = policy.replay;
    out["replay"] = {{"accepted", replay.accepted},
                     {"offered", replay.offered},
                     {"cut", replay.cut},
                     {"value", shown ? json_of(replay.value) : Json()},
                     {"error", shown ? json_of(replay.error) : Json()},
                     {"ends", shown ? json_of(replay.ends) : Json()}};
    return out;
  }
  out["estimates"] = estimates(policy.estimates, shown);
  out["gain"] = {{"value", shown ? json_of(policy.gain) : Json()},
                 {"ends", shown ? json_of(policy.gain_ends) : Json()}};
  out["coverage"] = coverage(policy);
  out["course"] = shown ? course(policy) : Json::array();
  out["actions"] = actions(policy);
  if (!policy.segments.empty()) out["segments"] = segments(policy, shown);
  return out;
}

Json chances(const ChanceCheck& check) {
  Json bins = Json::array();
  for (const ChanceBin& bin : check.bins) {
    bins.push_back({{"above", bin.low},
                    {"upTo", bin.high},
                    {"expected", json_of(bin.expected)},
                    {"observed", bin.observed}});
  }
  return {{"all", check.possible},
          {"chiSquare", check.possible ? json_of(check.chi_square) : Json()},
          {"p", check.possible ? json_of(check.p) : Json()},
          {"meanInverse", json_of(check.inverse)},
          {"meanInverseZ", json_of(check.inverse_z)},
          {"bins", std::move(bins)}};
}

}  // namespace

std::string evaluation_json(const EvaluationResult& result, bool forced) {
  Json policies = Json::array();
  for (const PolicyResult& policy : result.policies) {
    policies.push_back(policy_json(policy, forced));
  }
  const Json out{
      {"log", result.source},
      {"decisions", result.decisions},
      {"learnedOnly", result.learned},
      {"firstTime", time_of(result.first_time)},
      {"lastTime", time_of(result.last_time)},
      {"leftOut", result.skipped},
      {"actions", result.actions},
      {"loggedReward", {{"mean", json_of(result.logged)}, {"error", json_of(result.logged_error)}}},
      {"rewardRange", {result.score.rewards.min, result.score.rewards.max}},
      {"confidence", 1.0 - result.score.alpha},
      {"rewardModel", result.reward_model},
      {"chances", chances(result.chances)},
      {"warnings", result.warnings},
      {"policies", std::move(policies)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace sau
