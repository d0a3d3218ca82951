#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sau/core/error.hpp"
#include "sau/serve/configuration.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/describe.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau {
namespace {

using Json = nlohmann::ordered_json;

bool has_outcome(const EventState& state) {
  return state.phase == EventPhase::kCompleted || state.phase == EventPhase::kMissing;
}

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json field_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? Json::array() : *found;
}

// Costs are negative rewards; actions count from 1 and the chosen one comes first; `p` goes with
// `a` (Vowpal Wabbit wiki, "DSJSON").
std::string dsjson_line(const Decision& decision, const EventState& state, const Json& request) {
  std::vector<std::uint32_t> order(decision.actions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if ((a == decision.chosen) != (b == decision.chosen)) return a == decision.chosen;
    return decision.actions[a].probability > decision.actions[b].probability;
  });
  Json places = Json::array(), chances = Json::array(), multi = Json::array();
  for (const std::uint32_t place : order) {
    places.push_back(place + 1);
    chances.push_back(decision.actions[place].probability);
  }
  for (const Json& action : field_of(request, "actions")) {
    multi.push_back({{"_tag", action["id"]},
                     {"action", {{"id", action["id"]}}},
                     {"features", field_of(action, "features")}});
  }
  const double cost = state.final_reward == 0.0 ? 0.0 : -state.final_reward;
  return one_line(
      Json{{"_label_cost", cost},
           {"_label_probability", decision.actions[decision.chosen].probability},
           {"_label_Action", decision.chosen + 1},
           {"_labelIndex", decision.chosen},
           {"o", Json::array({{{"v", state.final_reward}, {"EventId", decision.event_id}}})},
           {"Timestamp", write_time(decision.time)},
           {"Version", "1"},
           {"EventId", decision.event_id},
           {"a", std::move(places)},
           {"c", {{"shared", field_of(request, "contextFeatures")}, {"_multi", std::move(multi)}}},
           {"p", std::move(chances)},
           {"VWState", {{"m", std::to_string(decision.model_version)}}}});
}

std::string dsjson_line(const Decision& decision, const EventState& state) {
  const Json request = Json::parse(decision.request, nullptr, false);
  if (request.is_discarded()) {
    throw Error("the request of event '" + decision.event_id + "' is not JSON");
  }
  return dsjson_line(decision, state, request);
}

// The request as it was sent, but for spaces and line breaks between its parts.
std::string json_line(const Decision& decision, const EventState& state) {
  auto described = detail::describe_decision(decision, state, std::nullopt);
  if (!described.ok()) throw Error(described.failure().message);
  std::string line = std::move(described).value();
  line.pop_back();  // the brace
  line += R"(,"request":)";
  const std::size_t begin = line.size();
  std::size_t size = 0;
  line.resize(begin + decision.request.size());
  const auto error =
      simdjson::minify(decision.request.data(), decision.request.size(), line.data() + begin, size);
  if (error != simdjson::SUCCESS) {
    throw Error("the request of event '" + decision.event_id + "' is not JSON");
  }
  line.resize(begin + size);
  return line + "}";
}

}  // namespace

ExportCount export_log(const std::filesystem::path& folder, LogFormat format,
                       const std::function<void(const std::string& line)>& write) {
  detail::read_folder(folder);
  const auto store =
      open_event_store(detail::events_folder(folder), {.read_only = true, .verify = false});
  ExportCount count;
  const Status status = store->decisions(0, [&](Sequence, const Decision& decision) {
    const auto state = store->event(decision.event_id);
    if (!state.ok()) throw Error(state.failure().message);
    if (!state.value()) throw Error("the event '" + decision.event_id + "' has lost its state");
    if (format == LogFormat::kDsjson && !has_outcome(*state.value())) {
      ++count.left_out;
      return true;
    }
    write(format == LogFormat::kDsjson ? dsjson_line(decision, *state.value())
                                       : json_line(decision, *state.value()));
    ++count.events;
    return true;
  });
  if (!status.ok()) throw Error(status.failure().message);
  return count;
}

}  // namespace sau
