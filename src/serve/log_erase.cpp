#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/model_file.hpp"
#include "serve/relearn.hpp"
#include "serve/settings.hpp"
#include "serve/slots_request.hpp"
#include "store/store_rewrite.hpp"

namespace sau {
namespace {

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

// What is left of an event: that there was one, when, and that it no longer counts.
class Erasing {
 public:
  explicit Erasing(const EventStore& store) : store_(store) {}

  // All slots of an event, if it has several.
  void add(const std::string& id) {
    const auto state = good(store_.event(id));
    if (!state) throw Error("there is no event '" + id + "' in the log");
    const auto decision = good(store_.decision(state->decision)).value();
    add(id, decision);
    const auto slots = detail::logged_slots(decision.request).ids;
    for (std::size_t i = 1; i < slots.size(); ++i) {
      const std::string other = detail::decision_id(id, slots[i], false);
      if (const auto found = good(store_.event(other))) {
        add(other, good(store_.decision(found->decision)).value());
      }
    }
  }
  void add_all_of(const std::vector<UserFeature>& users) {
    if (users.empty()) return;
    good(store_.decisions(store_.base().last + 1, [&](Sequence, const Decision& decision) {
      const auto request = nlohmann::json::parse(decision.request, nullptr, false);
      const bool found = std::ranges::any_of(
          users, [&](const UserFeature& user) { return mentions(request, user); });
      if (found) add(decision.event_id, decision);
      return true;
    }));
  }

  // What the log becomes. Events up to `fixed` cannot be unlearned.
  detail::LogRewrite rewrite(Sequence fixed, Erased& result) const {
    detail::LogRewrite how;
    Sequence next = store_.head().last + 1;
    for (const auto& [sequence, event] : events_) {
      EventState state = event.state;
      const bool counted =
          state.phase == EventPhase::kCompleted || state.phase == EventPhase::kMissing;
      if (state.phase == EventPhase::kWaiting) {
        how.more.push_back({.kind = EntryKind::kExpired, .decision = sequence});
        state.phase = EventPhase::kDropped;
        state.completed_by = next++;
      } else if (counted && state.completed_by > fixed && !state.struck) {
        how.more.push_back({.kind = EntryKind::kStruck, .decision = sequence});
        ++next;
      } else if (counted && state.completed_by <= fixed) {
        ++result.still_learned;
      }
      state.struck = true;
      state.fingerprint = 0;
      state.first = state.sum = state.final_reward = 0.0;
      state.received.clear();
      how.decisions.emplace(sequence,
                            detail::LogRewrite::Replaced{rest_of(sequence, event.decision), state});
    }
    result.events = events_.size();
    return how;
  }

 private:
  struct Event {
    Decision decision;
    EventState state;
  };

  void add(const std::string& id, const Decision& decision) {
    if (id.starts_with(kErasedIds) && decision.request == kErasedRequest) return;
    const auto state = good(store_.event(id)).value();
    events_.try_emplace(state.decision, Event{decision, state});
  }

  Decision rest_of(Sequence sequence, const Decision& decision) const {
    std::string id = fmt::format("{}{}", kErasedIds, sequence);
    while (good(store_.event(id))) id += '+';  // somebody has chosen just that id
    return {.time = decision.time,
            .event_id = std::move(id),
            .model_version = decision.model_version,
            .mode = LearningMode::kLoggingOnly,
            .deferred = decision.deferred,
            .actions = {{.probability = 1.0}},
            .request = std::string(kErasedRequest)};
  }

  static constexpr std::string_view kErasedIds = "erased:";
  static constexpr std::string_view kErasedRequest = R"({"actions":[{"id":"erased"}]})";

  const EventStore& store_;
  std::map<Sequence, Event> events_;
};

}  // namespace

Erased erase_events(const std::filesystem::path& folder, const std::vector<std::string>& event_ids,
                    const std::vector<UserFeature>& users) {
  const detail::FolderSettings settings = detail::read_folder(folder);
  detail::refuse_trainer(folder);
  const auto log = detail::log_folder(folder);
  const std::filesystem::path aside = log.string() + ".part";
  detail::finish_replacing(log);
  Erased result;
  auto store = open_event_store(log, {});
  const LogHead head = store->head();
  Erasing erasing(*store);
  for (const std::string& id : event_ids) erasing.add(id);
  erasing.add_all_of(users);
  const auto how = erasing.rewrite(detail::fixed_until(folder, *store).until, result);
  if (result.events == 0) return result;
  rewrite_event_store(*store, aside, how);
  store.reset();
  // Nothing is replaced unless the model can be rebuilt.
  const std::string model =
      detail::relearned(folder, settings, *open_event_store(aside, {.verify = false})).everything();
  // If this is interrupted, the next start makes the same model from the log.
  std::filesystem::remove(detail::snapshot_file(folder));
  detail::replace_event_store(log, aside, head);
  write_file(detail::snapshot_file(folder), model);
  result.checksum = detail::model_checksum(model);
  return result;
}

}  // namespace sau
