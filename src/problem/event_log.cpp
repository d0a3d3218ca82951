#include "problem/event_log.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/hash.hpp"
#include "model/feature_walk.hpp"
#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/data/unpack.hpp"

namespace sau::detail {

// Ordered: features come in the order in which they are written, as in the service.
using Json = nlohmann::ordered_json;

// nlohmann's values, for FeatureWalk.
struct NlohmannJson {
  using Value = const Json&;

  static JsonKind kind(Value value) {
    if (value.is_string()) return JsonKind::kText;
    if (value.is_boolean()) return JsonKind::kFlag;
    if (value.is_number()) return JsonKind::kNumber;
    if (value.is_object()) return JsonKind::kObject;
    return value.is_array() ? JsonKind::kArray : JsonKind::kNull;
  }
  static std::string_view text(Value value) { return value.get_ref<const std::string&>(); }
  static bool flag(Value value) { return value.get<bool>(); }
  static double number(Value value) { return value.get<double>(); }

  template <class Visit>
  static bool each_member(Value object, const Visit& visit) {
    for (const auto& [name, value] : object.items()) {
      if (!visit(name, value)) return false;
    }
    return true;
  }
  template <class Visit>
  static bool each_item(Value array, const Visit& visit) {
    for (const Json& item : array) {
      if (!visit(item)) return false;
    }
    return true;
  }
};

namespace {

constexpr std::size_t kDepth = 16;  // of features
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// The field, or null if there is none.
const Json& field(const Json& object, const char* name) {
  static const Json kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

// The request of an event: the field of that name, or the event itself.
const Json& request_in(const Json& event) {
  const Json& wrapped = field(event, "request");
  return wrapped.is_null() ? event : wrapped;
}

std::string fingerprint_of(std::string_view text) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(hash_of(text)));
  return digits.data();
}

}  // namespace

// Reads one line after the other into a log.
class EventReader {
 public:
  EventReader(EventLog& log, std::string_view file)
      : log_(log), file_(file), walk_(kDepth, kNoLimit, log.features_) {}

  void read(std::string_view text, std::uint64_t line) {
    line_ = line;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) fail("expected a JSON object");
    const Json& wrapped = field(json, "request");
    if (!wrapped.is_null() && !wrapped.is_object()) fail("request is not an object");
    const Json& request = request_in(json);
    const std::string inside = wrapped.is_null() ? "" : "request.";
    EventLog::Event event;
    event.context_first = log_.features_.size();
    read_features(field(request, "contextFeatures"), kContextSide, inside + "contextFeatures");
    event.context_last = log_.features_.size();
    event.first = log_.offers_.size();
    read_actions(field(request, "actions"), inside + "actions");
    event.last = log_.offers_.size();
    offers_ = std::span(log_.offers_).subspan(event.first);
    read_excluded(field(request, "excludedActions"), inside + "excludedActions");
    read_rewards(field(json, "actions"), event);
    log_.events_.push_back(event);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(std::string(file_) + ", line " + std::to_string(line_) + ": " + why);
  }

  void read_features(const Json& list, std::uint64_t side, const std::string& name) {
    if (list.is_null() || walk_.read_list(list, side)) return;
    fail(name + ": " + walk_.wrong());
  }

  void read_actions(const Json& list, const std::string& name) {
    if (!list.is_array() || list.empty()) fail(name + ": expected an array of actions");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string here = name + "[" + std::to_string(i) + "]";
      const Json& id = list[i].is_object() ? field(list[i], "id") : list[i];
      if (!list[i].is_object() || !id.is_string() || id.get_ref<const std::string&>().empty()) {
        fail(here + ".id: expected a non-empty text");
      }
      EventLog::Offer offer;
      offer.id = id.get<std::string>();
      offer.first = log_.features_.size();
      read_features(field(list[i], "features"), kActionSide, here + ".features");
      offer.last = log_.features_.size();
      log_.offers_.push_back(std::move(offer));
    }
  }

  EventLog::Offer* find(const Json& id) {
    if (!id.is_string()) return nullptr;
    const auto found =
        std::ranges::find(offers_, id.get_ref<const std::string&>(), &EventLog::Offer::id);
    return found == offers_.end() ? nullptr : &*found;
  }

  void read_excluded(const Json& list, const std::string& name) {
    if (list.is_null()) return;
    if (!list.is_array()) fail(name + ": expected an array of action ids");
    for (const Json& id : list) {
      if (!id.is_string()) fail(name + ": expected an array of action ids");
      // An id that is not on offer cannot be chosen anyway.
      if (EventLog::Offer* offer = find(id)) offer->excluded = true;
    }
  }

  // By id, because an export lists the actions twice: with their features in `request`, and with
  // their outcomes next to it.
  void read_rewards(const Json& list, EventLog::Event& event) {
    if (!list.is_array()) fail("actions: expected an array of actions with their rewards");
    paid_.assign(offers_.size(), false);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string here = "actions[" + std::to_string(i) + "]";
      EventLog::Offer* offer = list[i].is_object() ? find(field(list[i], "id")) : nullptr;
      if (offer == nullptr) fail(here + ".id: is not the id of an action on offer");
      const auto place = static_cast<std::size_t>(offer - offers_.data());
      if (paid_[place]) fail(here + ".id: '" + offer->id + "' is listed twice");
      paid_[place] = true;
      const Json& reward = field(list[i], "reward");
      if (reward.is_null() && offer->excluded) continue;
      if (!reward.is_number() || !RewardRange{}.contains(reward.get<double>())) {
        fail(here + ".reward: is " + (reward.is_null() ? "missing" : reward.dump()) +
             "; expected the reward of every action on offer, a number within +-1e100");
      }
      offer->reward = reward.get<double>();
    }
    settle(event);
  }

  void settle(EventLog::Event& event) {
    bool any = false;
    for (std::size_t i = 0; i < offers_.size(); ++i) {
      const EventLog::Offer& offer = offers_[i];
      if (offer.excluded) continue;
      if (!paid_[i]) fail("actions: the reward of '" + offer.id + "' is missing");
      event.best = any ? std::max(event.best, offer.reward) : offer.reward;
      any = true;
      smallest_ = std::min(smallest_, offer.reward);
      largest_ = std::max(largest_, offer.reward);
    }
    if (!any) fail("excludedActions: all actions are excluded");
    log_.rewards_ = {smallest_, largest_};
  }

  EventLog& log_;
  std::string_view file_;
  FeatureWalk<NlohmannJson> walk_;
  std::uint64_t line_ = 0;
  std::span<EventLog::Offer> offers_;  // of this line
  std::vector<bool> paid_;             // for each of them: its reward is known
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
};

EventLog::EventLog(std::string_view text, std::string_view file)
    : fingerprint_(fingerprint_of(text)) {
  EventReader reader(*this, file);
  const char* const begin = text.data();
  std::uint64_t line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    reader.read(row, line);
    events_.back().place = static_cast<std::size_t>(row.data() - begin);
    events_.back().length = row.size();
  }
  if (events_.empty()) throw Error(std::string(file) + ": found no events");
}

std::string EventLog::read_again(const std::filesystem::path& file) const {
  std::string text = read_unpacked(file);
  if (fingerprint_of(text) == fingerprint_) return text;
  throw Error(file.string() + ": the file has changed since it was first read");
}

std::string EventLog::request(std::size_t event, std::string_view text) const {
  const Json json = Json::parse(text.substr(events_[event].place, events_[event].length));
  const Json& request = request_in(json);
  Json plain = Json::object();
  plain["contextFeatures"] = Json::array();
  if (const Json& features = field(request, "contextFeatures"); !features.is_null()) {
    plain["contextFeatures"] = features;
  }
  for (const Json& action : field(request, "actions")) {
    Json offered = {{"id", field(action, "id")}};
    if (const Json& features = field(action, "features"); !features.is_null()) {
      offered["features"] = features;
    }
    plain["actions"].push_back(std::move(offered));
  }
  if (const Json& excluded = field(request, "excludedActions"); !excluded.is_null()) {
    plain["excludedActions"] = excluded;
  }
  return plain.dump();
}

std::shared_ptr<const EventLog> open_event_log(const std::filesystem::path& file) {
  struct Kept {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time;
    std::shared_ptr<const EventLog> log;
  };
  static std::mutex mutex;
  static std::map<std::string, Kept> kept;
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  const auto time = std::filesystem::last_write_time(file, ignored);
  const std::lock_guard lock(mutex);
  Kept& entry = kept[std::filesystem::absolute(file).string()];
  if (!entry.log || entry.size != size || entry.time != time) {
    entry = {size, time, std::make_shared<const EventLog>(read_unpacked(file), file.string())};
  }
  return entry.log;
}

}  // namespace sau::detail
