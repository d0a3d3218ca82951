#include "serve/erasing.hpp"

#include <fmt/format.h>

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

// Whether a member with this name, at any depth, has this value, or a list with it.
bool mentions(const nlohmann::json& json, const UserFeature& user, bool named = false) {
  if (json.is_object()) {
    return std::ranges::any_of(json.items(), [&](const auto& item) {
      return mentions(item.value(), user, item.key() == user.name);
    });
  }
  if (json.is_array()) {
    return std::ranges::any_of(json, [&](const auto& each) { return mentions(each, user, named); });
  }
  if (!named) return false;
  if (json.is_string()) return json.get_ref<const std::string&>() == user.value;
  return nlohmann::json::parse(user.value, nullptr, false) == json;
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

bool Erasing::add(const EventStore& store, const std::string& id) {
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
  good(store.decisions(
      std::max(first, store.base().last + 1), [&](Sequence sequence, const Decision& decision) {
        if (++seen > kSeenAtOnce) {
          next = sequence;
          return false;
        }
        const auto request = nlohmann::json::parse(decision.request, nullptr, false);
        const bool found =
            std::ranges::any_of(users, [&](const auto& user) { return mentions(request, user); });
        if (found) add(decision.event_id, sequence, decision);
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
