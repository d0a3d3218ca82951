// Feeds bodies of requests to their readers. A request that is accepted must make sense, must be
// accepted again when it is read from the log, and must be JSON for other parsers that read the
// log. The error for a refused request must be valid in JSON itself.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "core/json_text.hpp"
#include "sau/core/text.hpp"
#include "sau/serve/configuration.hpp"
#include "sau/serve/rank_request.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

nlohmann::json parsed(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

void check_failure(const sau::Failure& failure) {
  require(!failure.message.empty());
  for (const std::string& text : {failure.message, failure.target}) {
    std::string json;
    sau::detail::append_json(json, text);
    require(parsed(json).is_string());
  }
}

void check_rank(std::string_view body) {
  const sau::RequestLimits limits{
      .actions = 8, .body_bytes = 2048, .id_bytes = 16, .features = 32, .crosses = 64};
  const auto read = sau::read_rank_request(body, limits);
  const auto again = sau::read_rank_request(body, sau::RequestLimits::none());
  if (!read.ok()) {
    check_failure(read.failure());
    if (!again.ok()) check_failure(again.failure());
    return;
  }
  const sau::RankRequest& request = read.value();
  require(again.ok() && again.value().fingerprint == request.fingerprint);
  require(parsed(body).is_object());
  require(request.actions.size() >= 1 && request.actions.size() <= limits.actions);
  require(request.features.size() <= limits.features);
  require(request.event_id.size() <= limits.id_bytes && sau::is_utf8(request.event_id));
  std::set<std::string_view> ids;
  std::size_t place = request.context_end, open = 0;
  for (const sau::RankRequest::Action& action : request.actions) {
    require(!action.id.empty() && action.id.size() <= limits.id_bytes && sau::is_utf8(action.id));
    require(ids.insert(action.id).second);
    require(action.first == place && action.last >= action.first);
    place = action.last;
    open += action.excluded ? 0 : 1;
  }
  require(place == request.features.size() && open >= 1);
  for (const sau::HashedFeature& feature : request.features) {
    require(std::isfinite(feature.value));
  }
  // What is learned from later is what was decided on.
  for (std::size_t i = 0; i < request.actions.size(); ++i) {
    const auto chosen = sau::read_chosen_action(body, i);
    require(chosen.ok() && chosen.value().actions.size() == 1);
    const sau::OfferedAction was = request.offered(i), is = chosen.value().offered(0);
    require(is.id == was.id && std::ranges::equal(is.features, was.features));
    require(std::ranges::equal(chosen.value().context(), request.context()));
  }
}

void check_configuration(std::string_view body) {
  const auto read = sau::read_configuration(body, {});
  if (!read.ok()) return check_failure(read.failure());
  const auto again = sau::read_configuration(sau::to_json(read.value()), {});
  require(again.ok() && again.value() == read.value());
}

void check_duration(std::string_view text) {
  const auto read = sau::read_duration(text, "time");
  if (!read.ok()) return check_failure(read.failure());
  const auto again = sau::read_duration(sau::write_duration(read.value()), "time");
  require(again.ok() && again.value() == read.value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  check_rank(body);
  check_configuration(body);
  check_duration(body);
  const auto reward = sau::read_reward_request(body);
  if (reward.ok()) {
    require(std::isfinite(reward.value()));
    const auto bounded = sau::bounded_reward(reward.value(), {});
    require(!bounded.ok() || std::abs(bounded.value()) <= 1.0);
  } else {
    check_failure(reward.failure());
  }
  return 0;
}
