// Feeds lines to the reader of dsjson: an event that it yields must make sense. Feeds rank requests
// to the export: Vowpal Wabbit must be able to read the line, and the reader must find the same
// features in it as the service did in the request.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/serve/rank_request.hpp"
#include "serve/decision_text.hpp"
#include "store/dsjson_line.hpp"

namespace {

using sau::detail::DsjsonKind;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_event(const sau::DsjsonEvent& event) {
  require(nlohmann::json::accept(event.request));
  require(nlohmann::json::accept(event.context));
  require(!event.actions.empty() && event.chosen < event.actions.size());
  require(event.baseline < event.actions.size());
  std::set<std::string_view> ids;
  for (const auto& action : event.actions) {
    require(!action.id.empty() && ids.insert(action.id).second);
    require(nlohmann::json::accept(action.features));
  }
  if (event.probability) require(*event.probability > 0.0 && *event.probability <= 1.0);
  if (!event.distribution.empty()) {
    require(event.distribution.size() == event.actions.size());
    const double sum = std::accumulate(event.distribution.begin(), event.distribution.end(), 0.0);
    require(std::abs(sum - 1.0) < 0.02);
    for (const double p : event.distribution) require(p >= 0.0 && p <= 1.0);
  }
  require(std::isfinite(event.reward) && event.drop >= 0.0 && event.drop < 1.0);
  // The service reads it, or says why not.
  const auto read = sau::read_rank_request(event.request, sau::RequestLimits::none());
  require(read.ok() ? read.value().actions.size() == event.actions.size()
                    : !read.failure().message.empty());
}

// Whether the line was taken for an event.
bool read(std::string_view line, bool needs_probability, sau::DsjsonEvent& event) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(line.data(), line.size()).get(root) != simdjson::SUCCESS) return false;
  try {
    const auto kind = sau::detail::read_dsjson_line(
        root, {.skip_wrong = false, .needs_probability = needs_probability, .outcomes = nullptr},
        event);
    return kind == DsjsonKind::kEvent;
  } catch (const sau::Error& error) {
    require(std::string_view(error.what()).size() > 3);
    return false;
  }
}

// What Vowpal Wabbit would misread.
void check_vw(const nlohmann::json& value, bool in_array) {
  if (value.is_array()) {
    require(!in_array);
    for (const auto& item : value) check_vw(item, true);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      require(!name.starts_with('_'));
      require(!member.is_structured() || name.empty() ||
              static_cast<unsigned char>(name.front()) < 0x80);
      check_vw(member, false);
    }
  } else {
    require(!value.is_boolean() && !(in_array && value.is_string()));
  }
}

std::vector<std::pair<std::uint64_t, float>> sorted(sau::HashedFeatures features) {
  std::vector<std::pair<std::uint64_t, float>> list;
  for (const auto& feature : features) list.emplace_back(feature.hash, feature.value);
  std::ranges::sort(list);
  return list;
}

void check_export(std::string_view body) {
  const auto sent = sau::read_rank_request(body, {});
  if (!sent.ok()) return;
  sau::Decision decision;
  decision.event_id = "e";
  decision.request = body;
  decision.actions.resize(sent.value().actions.size());
  decision.actions[0].probability = 1.0;
  sau::detail::RequestOutline outline;
  require(sau::detail::read_outline(decision, outline).ok());
  sau::detail::VwFeatures features;
  std::string line;
  sau::detail::append_dsjson(line, decision, {.final_reward = 0.5}, outline, features);
  const auto json = nlohmann::json::parse(line, nullptr, false);
  require(json.is_object());
  check_vw(json["c"]["shared"], false);
  for (const auto& action : json["c"]["_multi"]) check_vw(action["features"], false);
  sau::DsjsonEvent event;
  require(read(line, true, event));
  const auto found = sau::read_rank_request(event.request, sau::RequestLimits::none());
  require(found.ok());
  require(sorted(found.value().context()) == sorted(sent.value().context()));
  for (std::size_t i = 0; i < sent.value().actions.size(); ++i) {
    require(found.value().actions[i].id == sent.value().actions[i].id);
    require(sorted(found.value().offered(i).features) == sorted(sent.value().offered(i).features));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool needs_probability : {true, false}) {
    sau::DsjsonEvent event;
    if (read(text, needs_probability, event)) check_event(event);
  }
  check_export(text);
  return 0;
}
