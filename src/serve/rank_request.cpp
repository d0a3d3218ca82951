#include "sau/serve/rank_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "core/hash.hpp"
#include "sau/core/stack_memory.hpp"
#include "serve/chosen_parts.hpp"
#include "serve/feature_reader.hpp"
#include "serve/logged_request.hpp"
#include "store/json_field.hpp"

namespace sau {
namespace {

using detail::ChosenParts;
using detail::FeatureReader;
using detail::json_field;
using simdjson::dom::element;

Failure bad(std::string message, std::string target = {}) {
  return {Failure::Code::kBadRequest, std::move(message), std::move(target)};
}

// A parser keeps its memory from one request to the next, except after an unusually large one.
simdjson::dom::parser& parser() {
  constexpr std::size_t kUsual = 262'144;
  thread_local simdjson::dom::parser kept;
  if (kept.capacity() > kUsual) kept = simdjson::dom::parser();
  return kept;
}

// Levels around the features: the request, its list, an action, its list, the features object. A
// limit on depth is the cheapest defence against hostile nesting.
constexpr std::size_t kFrame = 5;

// `padded`: the parser may read beyond the end.
Result<element> parsed_value(std::string_view body, std::size_t depth, bool padded) {
  simdjson::dom::parser& json = parser();
  // In powers of two: a parser allocates for every new size, even for a smaller one.
  const std::size_t room = std::bit_ceil(std::max<std::size_t>(body.size(), 4096));
  if ((json.capacity() < room || json.max_depth() != depth) &&
      json.allocate(std::max(room, json.capacity()), depth) != simdjson::SUCCESS) {
    return Failure{Failure::Code::kOverloaded, "out of memory"};
  }
  element root;
  const auto error = json.parse(body.data(), body.size(), !padded).get(root);
  switch (error) {
    case simdjson::SUCCESS:
      break;
    case simdjson::DEPTH_ERROR:
      return bad("the request is nested too deeply");
    case simdjson::UTF8_ERROR:
      return bad("the request is not valid UTF-8");
    case simdjson::NUMBER_ERROR:
      return bad("the request has a number that is malformed or too large");
    case simdjson::EMPTY:
      return bad("the request is empty; expected a JSON object");
    default:
      return bad(std::string("the request is not JSON: ") + simdjson::error_message(error));
  }
  return root;
}

Result<element> parsed(std::string_view body, std::size_t depth) {
  auto root = parsed_value(body, depth, false);
  if (root.ok() && !root.value().is_object()) return bad("the request is not a JSON object");
  return root;
}

class RankReader {
 public:
  RankReader(const RequestLimits& limits, RankRequest& request)
      : limits_(limits), request_(request), features_(limits, request.features) {}

  // Reads only the context and one action, of a request that was accepted before.
  std::optional<Failure> read_chosen(const ChosenParts& parts, std::size_t chosen) {
    const std::size_t depth = limits_.depth + kFrame;
    if (!parts.context().empty()) {
      const auto context = parsed_value(parts.context(), depth, true);
      if (!context.ok()) return context.failure();
      if (auto wrong = read_context_list(context.value())) return wrong;
    }
    request_.context_end = request_.features.size();
    const auto action = parsed_value(parts.action(), depth, true);
    if (!action.ok()) return action.failure();
    return read_action(action.value(), chosen);
  }

  std::optional<Failure> read(element root) {
    if (auto wrong = read_event(root)) return wrong;
    if (auto wrong = read_context(root)) return wrong;
    if (auto wrong = read_actions(root)) return wrong;
    if (auto wrong = read_excluded(root)) return wrong;
    const std::size_t of_actions = request_.features.size() - request_.context_end;
    if (request_.context_end * of_actions > limits_.crosses) {
      return bad(fmt::format("{} context features and {} action features make more than {} pairs",
                             request_.context_end, of_actions, limits_.crosses),
                 "actions");
    }
    return std::nullopt;
  }

 private:
  using Place = std::pair<std::string_view, std::size_t>;

  std::optional<Failure> read_context(element root) {
    if (const auto list = json_field(root, "contextFeatures")) {
      if (auto wrong = read_context_list(*list)) return wrong;
    }
    request_.context_end = request_.features.size();
    return std::nullopt;
  }

  std::optional<Failure> read_context_list(element list) {
    auto wrong = features_.read_list(list, detail::kContextSide);
    if (wrong) wrong->target = "contextFeatures";
    return wrong;
  }

  std::optional<Failure> read_event(element root) {
    if (const auto id = json_field(root, "eventId")) {
      std::string_view text;
      if (id->get(text) != simdjson::SUCCESS) return bad("expected text", "eventId");
      if (auto wrong = check_id(text)) {
        wrong->target = "eventId";
        return wrong;
      }
      request_.event_id = text;
    }
    if (const auto defer = json_field(root, "deferActivation")) {
      if (defer->get(request_.defer_activation) != simdjson::SUCCESS) {
        return bad("expected true or false", "deferActivation");
      }
    }
    return std::nullopt;
  }

  std::optional<Failure> check_id(std::string_view id) const {
    if (id.empty()) return bad("an id is not empty");
    if (id.size() > limits_.id_bytes) {
      return bad(fmt::format("an id has at most {} bytes, not {}", limits_.id_bytes, id.size()));
    }
    return std::nullopt;
  }

  std::optional<Failure> read_actions(element root) {
    const auto list = json_field(root, "actions");
    simdjson::dom::array actions;
    if (!list || list->get(actions) != simdjson::SUCCESS) {
      return bad("expected an array of actions", "actions");
    }
    std::size_t place = 0;
    for (const element action : actions) {
      if (place >= limits_.actions) {
        return bad(fmt::format("more than {} actions", limits_.actions), "actions");
      }
      if (auto wrong = read_action(action, place)) return wrong;
      ++place;
    }
    if (place == 0) return bad("there is no action to choose from", "actions");
    return check_twice();
  }

  std::optional<Failure> check_twice() {
    places_.reserve(request_.actions.size());
    for (std::size_t i = 0; i < request_.actions.size(); ++i) {
      places_.emplace_back(request_.actions[i].id, i);
    }
    std::ranges::sort(places_);
    const auto twice = std::ranges::adjacent_find(places_, {}, &Place::first);
    if (twice == places_.end()) return std::nullopt;
    return bad(
        fmt::format("the id '{}' is that of actions[{}] as well", twice->first, twice->second),
        fmt::format("actions[{}].id", std::next(twice)->second));
  }

  std::optional<Failure> read_action(element action, std::size_t place) {
    const auto of_this = [place](Failure failure, const char* name) {
      failure.target = fmt::format("actions[{}]{}", place, name);
      return failure;
    };
    if (!action.is_object()) return of_this(bad("expected an object with id and features"), "");
    const auto id = json_field(action, "id");
    std::string_view text;
    if (!id || id->get(text) != simdjson::SUCCESS) return of_this(bad("expected text"), ".id");
    if (auto wrong = check_id(text)) return of_this(std::move(*wrong), ".id");
    RankRequest::Action read{
        .id = std::string(text), .excluded = false, .first = request_.features.size(), .last = 0};
    if (const auto list = json_field(action, "features")) {
      if (auto wrong = features_.read_list(*list, detail::kActionSide)) {
        return of_this(std::move(*wrong), ".features");
      }
    }
    read.last = request_.features.size();
    request_.actions.push_back(std::move(read));
    return std::nullopt;
  }

  std::optional<Failure> read_excluded(element root) {
    const auto list = json_field(root, "excludedActions");
    if (!list) return std::nullopt;
    simdjson::dom::array ids;
    if (list->get(ids) != simdjson::SUCCESS) {
      return bad("expected an array of action ids", "excludedActions");
    }
    std::size_t left = request_.actions.size();
    for (const element id : ids) {
      std::string_view text;
      if (id.get(text) != simdjson::SUCCESS) {
        return bad("expected an array of action ids", "excludedActions");
      }
      const auto found = std::ranges::lower_bound(places_, text, {}, &Place::first);
      // An excluded action that is not offered is ignored.
      if (found == places_.end() || found->first != text) continue;
      RankRequest::Action& action = request_.actions[found->second];
      if (!action.excluded) --left;
      action.excluded = true;
    }
    if (left == 0) return bad("all actions are excluded", "excludedActions");
    return std::nullopt;
  }

  const RequestLimits& limits_;
  RankRequest& request_;
  FeatureReader features_;
  StackMemory<1024> memory_;
  std::pmr::vector<Place> places_{memory_.resource()};  // by id
};

// Hashes everything at once: hashing piece by piece would take as long as the rest of the request.
std::uint64_t fingerprint(const RankRequest& request) {
  StackMemory<4096> memory;
  std::pmr::vector<std::uint64_t> words(memory.resource());
  words.reserve(2 + 2 * request.features.size() + 2 * request.actions.size());
  words.push_back(request.defer_activation ? 1 : 0);
  words.push_back(request.context_end);
  for (const HashedFeature& feature : request.features) {
    words.push_back(feature.hash);
    words.push_back(std::bit_cast<std::uint32_t>(feature.value));
  }
  for (const RankRequest::Action& action : request.actions) {
    words.push_back(detail::hash_of(action.id));
    words.push_back(2 * (action.last - action.first) + (action.excluded ? 1 : 0));
  }
  return detail::hash_of(
      {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)});
}

}  // namespace

Result<RankRequest> read_rank_request(std::string_view body, const RequestLimits& limits) {
  if (body.size() > limits.body_bytes) {
    return Failure{Failure::Code::kTooLarge,
                   fmt::format("the request has {} bytes; at most {} are allowed", body.size(),
                               limits.body_bytes)};
  }
  const Result<element> root = parsed(body, limits.depth + kFrame);
  if (!root.ok()) return root.failure();
  RankRequest request;
  request.features.reserve(128);
  request.actions.reserve(16);
  if (auto wrong = RankReader(limits, request).read(root.value())) return std::move(*wrong);
  request.fingerprint = fingerprint(request);
  return request;
}

Status detail::read_logged_request(std::string_view body, RankRequest& into) {
  const RequestLimits limits = RequestLimits::none();
  const Result<element> root = parsed(body, limits.depth + kFrame);
  if (!root.ok()) return root.failure();
  into.event_id.clear();
  into.defer_activation = false;
  into.features.clear();
  into.actions.clear();
  into.fingerprint = 0;
  if (auto wrong = RankReader(limits, into).read(root.value())) return std::move(*wrong);
  return Done{};
}

Result<RankRequest> read_chosen_action(std::string_view body, std::size_t chosen) {
  const RequestLimits limits = RequestLimits::none();
  thread_local ChosenParts parts;
  if (!parts.find(body, chosen)) return bad("the chosen action is missing", "actions");
  RankRequest request;
  request.features.reserve(32);
  if (auto wrong = RankReader(limits, request).read_chosen(parts, chosen)) {
    return std::move(*wrong);
  }
  return request;
}

Result<double> read_reward_request(std::string_view body) {
  const Result<element> root = parsed(body, kFrame);
  if (!root.ok()) return root.failure();
  const auto value = json_field(root.value(), "value");
  double number = 0.0;
  if (!value || !value->is_number() || value->get(number) != simdjson::SUCCESS ||
      !std::isfinite(number)) {
    return bad("expected a number", "value");
  }
  return number;
}

}  // namespace sau
