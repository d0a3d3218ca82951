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
      const double square = action.spread * action.spread;
      const double n = square > 0.0 ? action.variance / square : 1.0;
      json["pooledVariance"] = std::min(action.variance, decision.committee.pooled / n);
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

// A value goes into the first of these objects that has none of that name.
inline void naive_place(std::vector<NaiveJson>& objects, const std::string& name, NaiveJson value,
                        bool& escaped) {
  std::string written = name;
  const bool is_namespace = value.is_structured();
  if (name.starts_with("_")) written = "%5F" + name.substr(1);
  if (name.starts_with("%")) written = "%25" + name.substr(1);
  if (name.starts_with("\xC3\xA9") && is_namespace) written = "%C3%A9" + name.substr(2);
  escaped = escaped || written != name;
  for (NaiveJson& object : objects) {
    if (object.contains(written)) continue;
    object[written] = std::move(value);
    return;
  }
  NaiveJson next = NaiveJson::object();
  next[written] = std::move(value);
  objects.push_back(std::move(next));
}

inline std::vector<NaiveJson> naive_vw_objects(const NaiveJson& object, bool& escaped);

inline void naive_vw_value(std::vector<NaiveJson>& objects, const std::string& name,
                           const NaiveJson& value, bool& escaped) {
  if (value.is_array()) {
    NaiveJson numbers = NaiveJson::array();
    for (const NaiveJson& item : value) {
      numbers.push_back(item.is_number() ? item : NaiveJson(0));
      if (!item.is_number() && !item.is_null()) naive_vw_value(objects, name, item, escaped);
    }
    const auto is_number = [](const NaiveJson& item) { return item.is_number(); };
    if (std::ranges::any_of(value, is_number)) naive_place(objects, name, numbers, escaped);
  } else if (value.is_object()) {
    const auto parts = naive_vw_objects(value, escaped);
    naive_place(objects, name, parts.size() == 1 ? parts[0] : NaiveJson(parts), escaped);
  } else if (value.is_boolean()) {
    naive_place(objects, name, value.get<bool>() ? "true" : "false", escaped);
  } else {
    naive_place(objects, name, value, escaped);
  }
}

inline std::vector<NaiveJson> naive_vw_objects(const NaiveJson& object, bool& escaped) {
  std::vector<NaiveJson> objects{NaiveJson::object()};
  for (const auto& [name, value] : object.items()) naive_vw_value(objects, name, value, escaped);
  return objects;
}

// Features as Vowpal Wabbit can read them.
inline NaiveJson naive_vw_list(const NaiveJson& list, bool& escaped) {
  NaiveJson all = NaiveJson::array();
  for (const NaiveJson& object : list) {
    for (const NaiveJson& part : naive_vw_objects(object, escaped)) all.push_back(part);
  }
  return all;
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
  bool escaped = false;
  const NaiveJson shared = naive_vw_list(field_of(request, "contextFeatures"), escaped);
  for (const NaiveJson& action : request["actions"]) {
    multi.push_back({{"_tag", action["id"]},
                     {"action", {{"id", action["id"]}}},
                     {"features", naive_vw_list(field_of(action, "features"), escaped)}});
  }
  const double cost = event.final_reward == 0.0 ? 0.0 : -event.final_reward;
  NaiveJson line{
      {"_label_cost", cost},
      {"_label_probability", decision.actions[decision.chosen].probability},
      {"_label_Action", decision.chosen + 1},
      {"_labelIndex", decision.chosen},
      {"o", NaiveJson::array({{{"v", event.final_reward}, {"EventId", decision.event_id}}})},
      {"Timestamp", write_time(decision.time)},
      {"Version", "1"},
      {"EventId", decision.event_id},
      {"a", std::move(places)},
      {"c", {{"shared", shared}, {"_multi", std::move(multi)}}},
      {"p", std::move(chances)},
      {"VWState", {{"m", std::to_string(decision.model_version)}}},
      {"_original_label_cost", cost},
      {"_ba", NaiveJson::array({decision.baseline + 1})},
      {"pdrop", 0.0},
      {"_skipLearn", decision.mode == LearningMode::kLoggingOnly}};
  if (escaped) line["_escaped"] = true;
  return line;
}

}  // namespace sau::testing
