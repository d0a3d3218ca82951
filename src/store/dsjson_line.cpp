#include "store/dsjson_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/json_text.hpp"
#include "sau/core/error.hpp"
#include "store/dsjson_features.hpp"
#include "store/json_field.hpp"

namespace sau::detail {
namespace {

using simdjson::dom::element;

// Probabilities are often written in single precision.
constexpr double kRounding = 1e-6, kAgreement = 1e-3, kShare = 0.05, kSum = 0.01;

[[noreturn]] void fail(std::string_view field, const std::string& why) {
  throw Error(fmt::format("{}: {}", field, why));
}

std::optional<double> number(element object, std::string_view name) {
  const auto found = json_field(object, name);
  if (!found) return std::nullopt;
  double value = 0.0;
  if (!found->is_number() || found->get(value) != simdjson::SUCCESS || !std::isfinite(value)) {
    fail(name, "expected a number");
  }
  return value;
}

std::optional<bool> flag(element object, std::string_view name) {
  const auto found = json_field(object, name);
  if (!found) return std::nullopt;
  bool value = false;
  if (found->get(value) != simdjson::SUCCESS) fail(name, "expected true or false");
  return value;
}

std::uint64_t whole(double value, std::string_view name) {
  if (!(value >= 0.0) || value != std::floor(value) || value > 1e9) {
    fail(name, fmt::format("{}; expected the number of an action", value));
  }
  return static_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> place(element object, std::string_view name) {
  const auto value = number(object, name);
  return value ? std::optional(whole(*value, name)) : std::nullopt;
}

std::vector<double> numbers(element object, std::string_view name) {
  std::vector<double> values;
  const auto found = json_field(object, name);
  if (!found) return values;
  simdjson::dom::array list;
  if (found->get(list) != simdjson::SUCCESS) fail(name, "expected an array of numbers");
  for (const element item : list) {
    double value = 0.0;
    if (!item.is_number() || item.get(value) != simdjson::SUCCESS || !std::isfinite(value)) {
      fail(name, "expected an array of numbers");
    }
    values.push_back(value);
  }
  return values;
}

// Personalizer puts what the caller sent into fields of its own. Without them, imported events have
// the same features as the requests that follow.
std::optional<element> context_as_sent(simdjson::dom::object context) {
  std::optional<element> only;
  for (const auto [name, value] : context) {
    if (name.starts_with('_')) continue;
    if (only || (name != "FromUrl" && name != "shared") || !is_list_of_objects(value)) {
      return std::nullopt;
    }
    only = value;
  }
  return only;
}

std::optional<element> action_as_sent(element action) {
  for (const auto& [own, sent] : {std::pair("i", "j"), std::pair("action", "features")}) {
    const auto id = json_field(action, own), features = json_field(action, sent);
    if (!id || json_text_field(*id, "id").empty() || !features || !is_list_of_objects(*features)) {
      continue;
    }
    bool more = false;
    const simdjson::dom::object members = action.get_object().value_unsafe();
    for (const auto [name, value] : members) {
      more = more || !(name.starts_with('_') || name == own || name == sent);
    }
    if (!more) return features;
  }
  return std::nullopt;
}

std::string id_of(element action, std::size_t index) {
  for (const char* name : {"_tag", "id"}) {
    if (const auto text = json_text_field(action, name); !text.empty()) return std::string(text);
  }
  for (const char* name : {"i", "action"}) {
    const auto part = json_field(action, name);
    if (!part) continue;
    if (const auto text = json_text_field(*part, "id"); !text.empty()) return std::string(text);
  }
  return std::to_string(index + 1);
}

// Appends an array of feature objects: those the caller sent, if known, otherwise everything.
void append_list(std::string& out, element all, const std::optional<element>& sent, bool escaped) {
  if (sent) return append_features(out, *sent, escaped);
  out += '[';
  append_features(out, all, escaped);
  out += ']';
}

void read_request(element context, simdjson::dom::array multi, bool escaped, DsjsonEvent& to) {
  using Part = std::pair<std::size_t, std::size_t>;
  std::string& out = to.request;
  const auto part = [&out](element all, const std::optional<element>& sent, bool esc) {
    const std::size_t begin = out.size();
    append_list(out, all, sent, esc);
    return Part(begin, out.size() - begin);
  };
  out = R"({"contextFeatures":)";
  const Part whole_context =
      part(context, context_as_sent(context.get_object().value_unsafe()), escaped);
  std::vector<Part> parts;
  std::set<std::string, std::less<>> ids;
  to.actions.clear();
  const char* before = R"(,"actions":[{"id":)";
  for (const element action : multi) {
    if (!action.is_object()) fail("c._multi", "expected an array of objects");
    std::string id = id_of(action, to.actions.size());
    // Two actions of the same name are still two actions.
    while (!ids.insert(id).second) id += fmt::format("#{}", to.actions.size() + 1);
    out += before;
    before = R"(,{"id":)";
    append_json(out, id);
    out += R"(,"features":)";
    parts.push_back(part(action, action_as_sent(action), escaped));
    out += '}';
    to.actions.push_back({std::move(id), {}});
  }
  if (to.actions.empty()) fail("c._multi", "there is no action");
  out += "]}";
  const std::string_view text = out;
  to.context = text.substr(whole_context.first, whole_context.second);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    to.actions[i].features = text.substr(parts[i].first, parts[i].second);
  }
}

// `a` counts from 1; some programs count from 0.
std::uint64_t first_number(const std::vector<std::uint64_t>& listed) {
  return std::ranges::find(listed, 0U) == listed.end() ? 1 : 0;
}

void read_listed(element root, DsjsonEvent& to) {
  to.listed.clear();
  for (const double value : numbers(root, "a")) to.listed.push_back(whole(value, "a"));
  const std::uint64_t first = first_number(to.listed), last = first + to.actions.size() - 1;
  for (std::size_t i = 0; i < to.listed.size(); ++i) {
    if (to.listed[i] > last) {
      fail("a", fmt::format("{}; expected numbers from {} to {}", to.listed[i], first, last));
    }
    if (std::find(to.listed.begin(), to.listed.begin() + static_cast<std::ptrdiff_t>(i),
                  to.listed[i]) != to.listed.begin() + static_cast<std::ptrdiff_t>(i)) {
      fail("a", fmt::format("{} stands there twice", to.listed[i]));
    }
  }
}

void read_chosen(element root, DsjsonEvent& to) {
  const auto index = place(root, "_labelIndex"), action = place(root, "_label_Action");
  if (index && action && *action != *index + 1) {
    fail("_labelIndex", fmt::format("{}, which counts from 0, but _label_Action, which counts from "
                                    "1, is {}",
                                    *index, *action));
  }
  if (action == 0U) fail("_label_Action", "0; it counts from 1");
  if (!index && !action && to.listed.empty()) {
    fail("_labelIndex", "missing, and so are _label_Action and a");
  }
  to.chosen = index ? *index : action ? *action - 1 : to.listed.front() - first_number(to.listed);
  if (to.chosen >= to.actions.size()) {
    fail(index ? "_labelIndex" : "_label_Action",
         fmt::format("{}; there are {} actions", index ? *index : *action, to.actions.size()));
  }
}

void read_distribution(element root, DsjsonEvent& to) {
  to.distribution.clear();
  const std::vector<double> p = numbers(root, "p");
  if (p.empty()) return;
  const std::size_t expected = to.listed.empty() ? to.actions.size() : to.listed.size();
  if (p.size() != expected) {
    fail("p", fmt::format("{} numbers for {} actions", p.size(), expected));
  }
  double sum = 0.0;
  to.distribution.assign(to.actions.size(), 0.0);
  const std::uint64_t first = first_number(to.listed);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(p[i] >= 0.0) || !(p[i] <= 1.0 + kRounding)) {
      fail("p", fmt::format("{} is not a probability", p[i]));
    }
    to.distribution[to.listed.empty() ? i : to.listed[i] - first] = std::min(p[i], 1.0);
    sum += p[i];
  }
  if (std::abs(sum - 1.0) > kSum) fail("p", fmt::format("adds up to {}, not to 1", sum));
}

void read_probability(element root, bool needed, DsjsonEvent& to) {
  to.probability = number(root, "_label_probability");
  const bool listed = !to.distribution.empty();
  const double by_list = listed ? to.distribution[to.chosen] : 0.0;
  if (to.probability) {
    const double given = *to.probability;
    if (!(given > 0.0) || !(given <= 1.0 + kRounding)) {
      fail("_label_probability", fmt::format("{}; expected a number above 0 and at most 1", given));
    }
    to.probability = std::min(given, 1.0);
    const double allowed = std::min(kAgreement, kShare * std::max(by_list, given));
    if (listed && std::abs(by_list - given) > allowed) {
      fail("_label_probability",
           fmt::format("{}, but p gives {} to the chosen action", given, by_list));
    }
  } else if (listed) {
    if (!(by_list > 0.0)) fail("p", "0 for the action that was chosen");
    to.probability = by_list;
  } else if (needed) {
    fail("p", "missing, and so is _label_probability");
  }
}

// False when there is no reward.
bool read_reward(element root, const DsjsonOptions& options, DsjsonEvent& to) {
  const auto cost = number(root, "_label_cost");
  const auto own = json_field(root, "o");
  simdjson::dom::array observed;
  const bool has_own = own && own->get(observed) == simdjson::SUCCESS && observed.size() > 0;
  const DsjsonOutcomes::Outcome* const apart = options.outcomes == nullptr || to.event_id.empty()
                                                   ? nullptr
                                                   : options.outcomes->find(to.event_id);
  const bool deferred = flag(root, "DeferredAction").value_or(false);
  to.inactive =
      deferred && !(own && says_activated(*own)) && (apart == nullptr || !apart->activated);
  if (apart != nullptr && apart->reward && !has_own) {
    to.reward = *apart->reward;
    return true;
  }
  if (!cost) return false;
  to.reward = *cost == 0.0 ? 0.0 : -*cost;
  return true;
}

}  // namespace

bool says_activated(element observations) {
  simdjson::dom::array list;
  if (observations.get(list) != simdjson::SUCCESS) return false;
  const auto says = [](element each, std::string_view name, bool wanted) {
    bool found = !wanted;
    const auto field = json_field(each, name);
    return field && field->get(found) == simdjson::SUCCESS && found == wanted;
  };
  for (const element each : list) {
    if (says(each, "ActionTaken", true) || says(each, "DeferredAction", false)) return true;
  }
  return false;
}

DsjsonKind read_dsjson_line(element root, const DsjsonOptions& options, DsjsonEvent& to) {
  if (!root.is_object()) return DsjsonKind::kOther;
  const auto context = json_field(root, "c");
  if (!context) {
    if (json_field(root, "rewardActionId")) {
      fail("rewardActionId", "this is a line of sau log export and not dsjson");
    }
    return json_field(root, "RewardValue") ? DsjsonKind::kOutcome : DsjsonKind::kOther;
  }
  if (!context->is_object()) fail("c", "expected an object");
  if (json_field(root, "_outcomes") || json_field(*context, "_slots")) {
    return DsjsonKind::kMultiSlot;
  }
  const auto multi = json_field(*context, "_multi");
  if (!multi) return DsjsonKind::kOther;
  simdjson::dom::array actions;
  if (multi->get(actions) != simdjson::SUCCESS) fail("c._multi", "expected an array of objects");
  to.event_id = json_text_field(root, "EventId");
  to.time = parse_time(json_text_field(root, "Timestamp"));
  if (!read_reward(root, options, to)) return DsjsonKind::kUnlabelled;
  to.skip_learn = flag(root, "_skipLearn").value_or(false);
  to.drop = number(root, "pdrop").value_or(0.0);
  if (!(to.drop >= 0.0) || !(to.drop < 1.0)) {
    fail("pdrop", fmt::format("{}; expected at least 0 and less than 1", to.drop));
  }
  read_request(*context, actions, flag(root, kEscapedField).value_or(false), to);
  read_listed(root, to);
  read_chosen(root, to);
  const std::vector<double> baseline = numbers(root, "_ba");
  to.baseline = 0;
  if (!baseline.empty()) {
    const std::uint64_t number_of = whole(baseline.front(), "_ba");
    if (number_of == 0 || number_of > to.actions.size()) {
      fail("_ba", fmt::format("{}; expected 1 to {}", number_of, to.actions.size()));
    }
    to.baseline = number_of - 1;
  }
  read_distribution(root, to);
  read_probability(root, options.needs_probability, to);
  return DsjsonKind::kEvent;
}

}  // namespace sau::detail
