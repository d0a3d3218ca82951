#include "serve/erasing.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "serve/slots_request.hpp"

namespace sau::detail {
namespace {

constexpr std::string_view kErasedIds = "erased:";
constexpr std::string_view kErasedRequest = R"({"actions":[{"id":"erased"}]})";
constexpr std::size_t kSeenAtOnce = 4096;

using simdjson::dom::element;

// A number, true, false or null.
nlohmann::json plain_value(element json) {
  if (json.is_bool()) return json.get_bool().value_unsafe();
  if (json.is_int64()) return json.get_int64().value_unsafe();
  if (json.is_uint64()) return json.get_uint64().value_unsafe();
  if (json.is_double()) return json.get_double().value_unsafe();
  return nullptr;
}

// Whether a member with this name, at any depth, has this value, or a list with it. An object may
// have several members of one name, and all count.
bool mentions(element json, const UserFeature& user, bool named = false) {
  if (json.is_object()) {
    const simdjson::dom::object members = json.get_object().value_unsafe();
    for (const auto [name, value] : members) {
      if (mentions(value, user, name == user.name)) return true;
    }
    return false;
  }
  if (json.is_array()) {
    const simdjson::dom::array items = json.get_array().value_unsafe();
    for (const element each : items) {
      if (mentions(each, user, named)) return true;
    }
    return false;
  }
  if (!named) return false;
  if (json.is_string()) return json.get_string().value_unsafe() == user.value;
  return nlohmann::json::parse(user.value, nullptr, false) == plain_value(json);
}

// The event whose slot this is; `id` itself if it is not a further slot of another event.
std::string whole_event(const EventStore& store, const std::string& id) {
  std::string event = event_of_decision(id);
  const auto state = event == id ? std::optional<EventState>() : good(store.event(event));
  const auto decision = state ? good(store.decision(state->decision)) : std::optional<Decision>();
  if (!decision) return id;
  const auto slots = logged_slots(decision->request).ids;
  const bool own = std::ranges::any_of(
      slots, [&](const std::string& slot) { return decision_id(event, slot, false) == id; });
  return own ? event : id;
}

Decision rest_of(const EventStore& store, Sequence sequence, const Decision& decision) {
  std::string id = fmt::format("{}{}", kErasedIds, sequence);
  while (good(store.event(id))) id += '+';  // somebody has chosen just that id
  return {.time = decision.time,
          .event_id = std::move(id),
          .model_version = decision.model_version,
          .mode = LearningMode::kLoggingOnly,
          .deferred = decision.deferred,
          .actions = {{.probability = 1.0}},
          .request = std::string(kErasedRequest)};
}

}  // namespace

Fate fate_of(const EventState& state, Sequence fixed) noexcept {
  if (state.phase == EventPhase::kWaiting) return Fate::kDropped;
  const bool counted = state.phase == EventPhase::kCompleted || state.phase == EventPhase::kMissing;
  if (!counted) return Fate::kNothing;
  if (state.completed_by <= fixed) return Fate::kStays;
  return state.struck ? Fate::kNothing : Fate::kStruck;
}

bool Erasing::add(const EventStore& store, const std::string& id_or_slot) {
  const std::string id = whole_event(store, id_or_slot);
  const auto state = good(store.event(id));
  const auto decision =
      state ? good(store.decision(state->decision)) : std::optional<Decision>(std::nullopt);
  if (!decision) return false;
  add(id, state->decision, *decision);
  const auto slots = logged_slots(decision->request).ids;
  for (std::size_t i = 1; i < slots.size(); ++i) {
    const std::string other = decision_id(id, slots[i], false);
    if (const auto found = good(store.event(other))) {
      add(other, found->decision, good(store.decision(found->decision)).value());
    }
  }
  return true;
}

Sequence Erasing::add_all_of(const EventStore& store, std::span<const UserFeature> users,
                             Sequence first) {
  if (users.empty()) return 0;
  std::size_t seen = 0;
  Sequence next = 0;
  simdjson::dom::parser parser;
  good(store.decisions(
      std::max(first, store.base().last + 1), [&](Sequence sequence, const Decision& decision) {
        if (++seen > kSeenAtOnce) {
          next = sequence;
          return false;
        }
        element request;
        if (parser.parse(decision.request).get(request) != simdjson::SUCCESS) return true;
        const bool found =
            std::ranges::any_of(users, [&](const auto& user) { return mentions(request, user); });
        if (found && !add(store, decision.event_id)) add(decision.event_id, sequence, decision);
        return true;
      }));
  return next;
}

void Erasing::add(const std::string& id, Sequence sequence, const Decision& decision) {
  if (id.starts_with(kErasedIds) && decision.request == kErasedRequest) return;
  ids_.try_emplace(sequence, id);
}

LogRewrite Erasing::rewrite(const EventStore& store, Sequence fixed, Erased& result) const {
  LogRewrite how;
  Sequence next = store.head().last + 1;
  for (const auto& [sequence, id] : ids_) {
    const auto found = good(store.event(id));
    const auto decision = good(store.decision(sequence));
    // Removed with the beginning of the log; a new event may have the id.
    if (!found || found->decision != sequence || !decision) continue;
    EventState state = *found;
    switch (fate_of(state, fixed)) {
      case Fate::kDropped:
        how.more.push_back({.kind = EntryKind::kExpired, .decision = sequence});
        state.phase = EventPhase::kDropped;
        state.completed_by = next++;
        break;
      case Fate::kStruck:
        how.more.push_back({.kind = EntryKind::kStruck, .decision = sequence});
        ++next;
        break;
      case Fate::kStays:
        ++result.still_learned;
        break;
      case Fate::kNothing:
        break;
    }
    state.struck = true;
    state.fingerprint = 0;
    state.first = state.sum = state.final_reward = 0.0;
    state.received.clear();
    how.decisions.emplace(sequence,
                          LogRewrite::Replaced{rest_of(store, sequence, *decision), state});
    ++result.events;
  }
  return how;
}

}  // namespace sau::detail
