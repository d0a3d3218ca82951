#include "serve/slots_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/hash.hpp"

namespace sau::detail {
namespace {

using SlotsJson = nlohmann::ordered_json;

constexpr std::size_t kNobody = SIZE_MAX;
constexpr const char* kSlotsField = "multiSlot";  // in the logged request of the first slot

Failure wrong_slots(std::string message, std::string target) {
  return {Failure::Code::kBadRequest, std::move(message), std::move(target)};
}

// A field that is null counts as absent.
const SlotsJson* field_of(const SlotsJson& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string percent_encoded(const std::string& id) {
  std::string text;
  for (const char c : id) {
    if (c == '/' || c == '%') {
      text += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      text += c;
    }
  }
  return text;
}

SlotsJson parsed_slots(std::string_view body, int deepest, bool& too_deep) {
  const auto watch = [&](int depth, SlotsJson::parse_event_t, SlotsJson&) {
    too_deep = too_deep || depth > deepest;
    return !too_deep;
  };
  return SlotsJson::parse(body, watch, /*allow_exceptions=*/false);
}

// Whether one of these features objects has more levels than are allowed.
bool nested_deeper(const SlotsJson& json, std::size_t levels) {
  if (!json.is_structured()) return false;
  return levels == 0 || std::ranges::any_of(json, [levels](const SlotsJson& each) {
           return nested_deeper(each, levels - 1);
         });
}

}  // namespace

Result<SlotsRequest> SlotsRequest::read(std::string_view body, const RequestLimits& limits) {
  if (body.size() > limits.body_bytes) {
    return Failure{Failure::Code::kTooLarge,
                   fmt::format("the request has {} bytes; at most {} are allowed", body.size(),
                               limits.body_bytes)};
  }
  bool too_deep = false;
  const SlotsJson json = parsed_slots(body, static_cast<int>(limits.depth) + 6, too_deep);
  if (too_deep) return wrong_slots("the request is nested too deeply", "");
  if (!json.is_object()) return wrong_slots("the request is not a JSON object", "");
  SlotsRequest request;
  const auto id_field = [&](const SlotsJson& of, const char* name, std::string& into) {
    const SlotsJson* const found = field_of(of, name);
    if (found == nullptr || !found->is_string()) return false;
    into = found->get<std::string>();
    return !into.empty() && into.size() <= limits.id_bytes;
  };
  const auto wrong_depth = [&limits](std::string where) {
    return wrong_slots(fmt::format("features are nested deeper than {}", limits.depth),
                       std::move(where));
  };
  const std::string expected = fmt::format("expected text of 1 to {} bytes", limits.id_bytes);
  if (field_of(json, "eventId") != nullptr && !id_field(json, "eventId", request.event_id_)) {
    return wrong_slots(expected, "eventId");
  }
  if (const SlotsJson* const defer = field_of(json, "deferActivation")) {
    if (!defer->is_boolean()) return wrong_slots("expected true or false", "deferActivation");
    request.defer_ = defer->get<bool>();
  }
  if (const SlotsJson* const context = field_of(json, "contextFeatures")) {
    if (!context->is_array()) return wrong_slots("expected an array", "contextFeatures");
    if (nested_deeper(*context, limits.depth + 1)) return wrong_depth("contextFeatures");
    request.context_ = *context;
  } else {
    request.context_ = SlotsJson::array();
  }
  const SlotsJson* const actions = field_of(json, "actions");
  if (actions == nullptr || !actions->is_array() || actions->empty()) {
    return wrong_slots("expected an array of actions", "actions");
  }
  if (actions->size() > limits.actions) {
    return wrong_slots(fmt::format("more than {} actions", limits.actions), "actions");
  }
  request.actions_ = *actions;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < actions->size(); ++i) {
    std::string id;
    const std::string where = fmt::format("actions[{}].id", i);
    if (!(*actions)[i].is_object() || !id_field((*actions)[i], "id", id)) {
      return wrong_slots(expected, where);
    }
    const SlotsJson* const features = field_of((*actions)[i], "features");
    if (features != nullptr && nested_deeper(*features, limits.depth + 1)) {
      return wrong_depth(fmt::format("actions[{}].features", i));
    }
    if (!places.emplace(id, i).second) {
      return wrong_slots(fmt::format("the id '{}' is that of another action as well", id), where);
    }
    request.ids_.push_back(std::move(id));
  }
  request.taken_.resize(request.ids_.size());
  const SlotsJson* const slots = field_of(json, "slots");
  if (slots == nullptr || !slots->is_array() || slots->empty() || slots->size() > kMostSlots) {
    return wrong_slots(fmt::format("expected an array of 1 to {} slots", kMostSlots), "slots");
  }
  std::set<std::string> slot_ids;
  std::set<std::size_t> baselines;
  for (std::size_t i = 0; i < slots->size(); ++i) {
    const SlotsJson& given = (*slots)[i];
    const std::string where = fmt::format("slots[{}]", i);
    Slot slot{.id = {}, .features = SlotsJson::array(), .excluded = {}};
    if (!given.is_object() || !id_field(given, "id", slot.id)) {
      return wrong_slots(expected, where + ".id");
    }
    if (!slot_ids.insert(slot.id).second) {
      return wrong_slots(fmt::format("the id '{}' is that of another slot as well", slot.id),
                         where + ".id");
    }
    if (const SlotsJson* const features = field_of(given, "features")) {
      if (!features->is_array() || !std::ranges::all_of(*features, &SlotsJson::is_object)) {
        return wrong_slots("expected an array of objects", where + ".features");
      }
      if (nested_deeper(*features, limits.depth + 1)) return wrong_depth(where + ".features");
      slot.features = *features;
    }
    slot.excluded.resize(request.ids_.size());
    if (const SlotsJson* const excluded = field_of(given, "excludedActions")) {
      if (!excluded->is_array()) {
        return wrong_slots("expected an array of action ids", where + ".excludedActions");
      }
      for (const SlotsJson& id : *excluded) {
        if (!id.is_string()) {
          return wrong_slots("expected an array of action ids", where + ".excludedActions");
        }
        const auto found = places.find(id.get<std::string>());
        if (found != places.end()) slot.excluded[found->second] = true;
      }
    }
    std::string baseline;
    const auto found =
        id_field(given, "baselineAction", baseline) ? places.find(baseline) : places.end();
    if (found == places.end()) {
      return wrong_slots("expected the id of an action", where + ".baselineAction");
    }
    slot.baseline = found->second;
    if (slot.excluded[slot.baseline]) {
      return wrong_slots("the baseline action is among excludedActions", where + ".baselineAction");
    }
    if (!baselines.insert(slot.baseline).second) {
      return wrong_slots("the baseline action is that of another slot as well",
                         where + ".baselineAction");
    }
    request.slots_.push_back(std::move(slot));
  }
  // With the fields in a fixed order, and without blanks.
  request.fingerprint_ = hash_of(nlohmann::json(json).dump());
  return request;
}

std::vector<std::size_t> SlotsRequest::later_owners(std::size_t slot, std::size_t without) const {
  std::vector<std::size_t> owner(ids_.size(), kNobody);
  std::vector<bool> visited;
  // By augmenting paths (Kuhn's algorithm).
  const std::function<bool(std::size_t)> find = [&](std::size_t later) {
    const Slot& wants = slots_[later];
    const auto may = [&](std::size_t a) {
      return a != without && !taken_[a] && !wants.excluded[a] && !visited[a];
    };
    for (std::size_t a = 0; a < ids_.size(); ++a) {
      if (may(a) && owner[a] == kNobody) {
        owner[a] = later;
        return true;
      }
    }
    for (std::size_t a = 0; a < ids_.size(); ++a) {
      if (!may(a)) continue;
      visited[a] = true;
      if (find(owner[a])) {
        owner[a] = later;
        return true;
      }
    }
    return false;
  };
  for (std::size_t later = slot + 1; later < slots_.size(); ++later) {
    visited.assign(ids_.size(), false);
    if (!find(later)) return {};
  }
  return owner;
}

std::string SlotsRequest::rank_body(std::size_t slot) const {
  const Slot& of = slots_[slot];
  SlotsJson excluded = SlotsJson::array();
  const auto owners = later_owners(slot, kNobody);
  for (std::size_t a = 0; a < ids_.size(); ++a) {
    const bool free = !taken_[a] && !of.excluded[a];
    // Available if there is any way to fill the later slots without it.
    if (free && (owners[a] == kNobody || !later_owners(slot, a).empty())) continue;
    excluded.push_back(ids_[a]);
  }
  SlotsJson actions = SlotsJson::array({actions_[of.baseline]});
  for (std::size_t a = 0; a < ids_.size(); ++a) {
    if (a != of.baseline) actions.push_back(actions_[a]);
  }
  SlotsJson context = context_;
  context.push_back({{"slot", {{"id", of.id}}}});
  for (const SlotsJson& features : of.features) context.push_back({{"slot", features}});
  SlotsJson body = {{"contextFeatures", std::move(context)},
                    {"actions", std::move(actions)},
                    {"excludedActions", std::move(excluded)},
                    {"deferActivation", defer_}};
  if (slot == 0) {
    SlotsJson ids = SlotsJson::array();
    for (const Slot& each : slots_) ids.push_back(each.id);
    body[kSlotsField] = {{"slots", std::move(ids)}, {"fingerprint", fingerprint_}};
  }
  return body.dump();
}

Failure SlotsRequest::own_failure(Failure failure, std::size_t slot) const {
  const Slot& of = slots_[slot];
  if (failure.target == "contextFeatures") {
    const SlotsJson alone = {{"contextFeatures", context_}, {"actions", {{{"id", "any"}}}}};
    if (read_rank_request(alone.dump(), RequestLimits::none()).ok()) {
      failure.target = fmt::format("slots[{}].features", slot);
    }
  }
  // The baseline action is the first there.
  constexpr std::string_view kActions = "actions[";
  if (failure.target.starts_with(kActions)) {
    const char* const end = failure.target.data() + failure.target.size();
    std::size_t place = 0;
    const auto [rest, error] = std::from_chars(failure.target.data() + kActions.size(), end, place);
    if (error == std::errc() && place <= of.baseline) {
      failure.target = fmt::format("actions[{}{}", place == 0 ? of.baseline : place - 1,
                                   std::string_view(rest, end));
    }
  }
  return failure;
}

void SlotsRequest::take(const std::string& action) {
  taken_[static_cast<std::size_t>(std::ranges::find(ids_, action) - ids_.begin())] = true;
}

std::string decision_id(const std::string& event_id, const std::string& slot_id, bool first) {
  if (first) return event_id;
  return percent_encoded(event_id) + "/" + percent_encoded(slot_id);
}

std::string event_of_decision(const std::string& id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string::npos) return id;
  std::string event;
  for (std::size_t i = 0; i < slash; ++i) {
    const std::string_view rest = std::string_view(id).substr(i, 3);
    const bool encoded = rest == "%2F" || rest == "%25";
    event += rest == "%2F" ? '/' : rest.front();
    if (encoded) i += 2;
  }
  return event;
}

LoggedSlots logged_slots(std::string_view request) {
  // Most requests have no slots: not worth parsing.
  if (request.find(kSlotsField) == std::string_view::npos) return {};
  const auto json = nlohmann::json::parse(request, nullptr, false);
  if (!json.is_object() || !json.contains(kSlotsField)) return {};
  try {
    const auto& slots = json.at(kSlotsField);
    return {slots.at("slots").get<std::vector<std::string>>(),
            slots.at("fingerprint").get<std::uint64_t>()};
  } catch (const nlohmann::json::exception&) {
    return {};  // a field of the caller's own that has this name
  }
}

Result<std::vector<std::pair<std::string, double>>> read_slot_rewards(std::string_view body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return wrong_slots("the request is not a JSON object", "");
  const auto list = json.find("reward");
  if (list == json.end() || !list->is_array() || list->empty() ||
      list->size() > SlotsRequest::kMostSlots) {
    return wrong_slots("expected an array with a reward for each slot", "reward");
  }
  std::vector<std::pair<std::string, double>> rewards;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto& each = (*list)[i];
    const std::string where = fmt::format("reward[{}]", i);
    if (!each.is_object() || !each.contains("slotId") || !each["slotId"].is_string()) {
      return wrong_slots("expected text", where + ".slotId");
    }
    if (!each.contains("value") || !each["value"].is_number() ||
        !std::isfinite(each["value"].get<double>())) {
      return wrong_slots("expected a number", where + ".value");
    }
    rewards.emplace_back(each["slotId"].get<std::string>(), each["value"].get<double>());
  }
  return rewards;
}

}  // namespace sau::detail
