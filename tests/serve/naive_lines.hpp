#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sau/serve/configuration.hpp"
#include "sau/serve/rank_request.hpp"
#include "serve/decision_text.hpp"

namespace sau::testing {

// Writes decisions as JSON in the obvious way, with a library and by reading the whole request.
// Tests compare the text that is written directly with this.

using NaiveJson = nlohmann::ordered_json;

inline std::string naive_text(const NaiveJson& json) {
  return json.dump(-1, ' ', false, NaiveJson::error_handler_t::replace);
}

// The shortest number that reads as this float.
inline double naive_number(float number) {
  for (int digits = 1; digits < 9; ++digits) {
    const double shorter = std::stod(fmt::format("{:.{}e}", number, digits - 1));
    if (static_cast<float>(shorter) == number) return shorter;
  }
  return std::stod(fmt::format("{:.8e}", number));
}

inline NaiveJson naive_decision(const Decision& decision, const EventState& event,
                                std::optional<Milliseconds> wait,
                                std::span<const MemberRecord> members = {}) {
  const RankRequest request = read_rank_request(decision.request, RequestLimits::none()).value();
  NaiveJson rewards = NaiveJson::array();
  for (const ReceivedReward& reward : event.received) {
    rewards.push_back(
        {{"value", reward.value}, {"time", write_time(reward.time)}, {"late", reward.late}});
  }
  NaiveJson actions = NaiveJson::array();
  for (std::size_t i = 0; i < decision.actions.size(); ++i) {
    const DecidedAction& action = decision.actions[i];
    NaiveJson json{{"id", request.actions[i].id},
                   {"value", action.value},
                   {"spread", action.spread},
                   {"count", action.count},
                   {"variance", action.variance}};
    if (!decision.committee.empty()) {
      json["pooledVariance"] =
          decision.committee.pooled / static_cast<double>(std::max<std::uint64_t>(action.count, 1));
    }
    if (!decision.committee.weights.empty()) {
      json["disagreement"] = naive_number(decision.committee.disagreement[i]);
      json["bonus"] = naive_number(decision.committee.bonuses[i]);
    }
    json["probability"] = action.probability;
    json["excluded"] = request.actions[i].excluded;
    actions.push_back(std::move(json));
  }
  NaiveJson json{{"eventId", decision.event_id},
                 {"time", write_time(decision.time)},
                 {"rewardActionId", request.actions[decision.chosen].id},
                 {"policyActionId", request.actions[decision.policy].id},
                 {"learningMode", name_of(decision.mode)},
                 {"modelVersion", decision.model_version},
                 {"sequence", event.decision},
                 {"state", detail::state_name(event, decision.mode)},
                 {"active", event.active}};
  if (wait) json["deadline"] = write_time(decision.time + *wait);
  json["reward"] = detail::has_outcome(event) ? NaiveJson(event.final_reward) : NaiveJson();
  json["rewards"] = std::move(rewards);
  for (std::size_t k = 0; k < decision.committee.weights.size(); ++k) {
    json["members"].push_back({{"spec", k < members.size() ? members[k].spec : "?"},
                               {"weight", naive_number(decision.committee.weights[k])}});
  }
  json["actions"] = std::move(actions);
  return json;
}

inline NaiveJson naive_dsjson(const Decision& decision, const EventState& event) {
  const NaiveJson request = NaiveJson::parse(decision.request);
  const auto field_of = [](const NaiveJson& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? NaiveJson::array() : *found;
  };
  std::vector<std::uint32_t> order(decision.actions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if ((a == decision.chosen) != (b == decision.chosen)) return a == decision.chosen;
    return decision.actions[a].probability > decision.actions[b].probability;
  });
  NaiveJson places = NaiveJson::array(), chances = NaiveJson::array(), multi = NaiveJson::array();
  for (const std::uint32_t place : order) {
    places.push_back(place + 1);
    chances.push_back(decision.actions[place].probability);
  }
  for (const NaiveJson& action : request["actions"]) {
    multi.push_back({{"_tag", action["id"]},
                     {"action", {{"id", action["id"]}}},
                     {"features", field_of(action, "features")}});
  }
  const double cost = event.final_reward == 0.0 ? 0.0 : -event.final_reward;
  return NaiveJson{
      {"_label_cost", cost},
      {"_label_probability", decision.actions[decision.chosen].probability},
      {"_label_Action", decision.chosen + 1},
      {"_labelIndex", decision.chosen},
      {"o", NaiveJson::array({{{"v", event.final_reward}, {"EventId", decision.event_id}}})},
      {"Timestamp", write_time(decision.time)},
      {"Version", "1"},
      {"EventId", decision.event_id},
      {"a", std::move(places)},
      {"c", {{"shared", field_of(request, "contextFeatures")}, {"_multi", std::move(multi)}}},
      {"p", std::move(chances)},
      {"VWState", {{"m", std::to_string(decision.model_version)}}}};
}

}  // namespace sau::testing
