#include "logs/request_choice.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

#include "sau/core/error.hpp"
#include "sau/evaluate/choice_source.hpp"
#include "serve/logged_request.hpp"
#include "store/line_file.hpp"

namespace sau::detail {
namespace {

using simdjson::dom::element;

std::optional<std::string> feature_text(element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  if (value.is_object() || value.is_array() || value.is_null()) return std::nullopt;
  return simdjson::minify(value);
}

// The feature in one object; names joined by dots lead into nested ones.
std::optional<std::string> find_feature(element object, std::string_view name) {
  element found;
  if (object[name].get(found) == simdjson::SUCCESS) return feature_text(found);
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1)) {
    if (object[name.substr(0, dot)].get(found) != simdjson::SUCCESS || !found.is_object()) continue;
    if (auto inner = find_feature(found, name.substr(dot + 1))) return inner;
  }
  return std::nullopt;
}

void add_segments(ChoiceBatch& batch, std::string_view request, std::span<const std::string> by) {
  thread_local simdjson::dom::parser parser;
  element root, list;
  simdjson::dom::array objects;
  const bool readable =
      parser.parse(request.data(), request.size()).get(root) == simdjson::SUCCESS &&
      root["contextFeatures"].get(list) == simdjson::SUCCESS &&
      list.get(objects) == simdjson::SUCCESS;
  for (const std::string& name : by) {
    std::optional<std::string> found;
    if (readable) {
      for (const element object : objects) {
        if (!found && object.is_object()) found = find_feature(object, name);
      }
    }
    batch.add_segment(found ? std::move(*found) : std::string(kNoSegment));
  }
}

}  // namespace

void add_request(ChoiceBatch& batch, const RequestOutcome& outcome, std::span<const std::string> by,
                 const std::string& where) {
  thread_local RankRequest request;
  if (const Status read = read_logged_request(outcome.request, request); !read.ok()) {
    const Failure& failure = read.failure();
    throw Error(fmt::format("{}: {}{}{}", where, failure.target, failure.target.empty() ? "" : ": ",
                            failure.message));
  }
  if (outcome.chosen >= request.actions.size() ||
      (!outcome.chances.empty() && outcome.chances.size() != request.actions.size())) {
    throw Error(fmt::format("{}: the choice does not fit the {} actions of its request", where,
                            request.actions.size()));
  }
  if (!by.empty()) add_segments(batch, outcome.request, by);
  auto& features = batch.features();
  const auto put = [&](HashedFeatures more) {
    features.insert(features.end(), more.begin(), more.end());
  };
  put(request.context());
  batch.end_context();
  for (std::size_t i = 0; i < request.actions.size(); ++i) {
    const OfferedAction action = request.offered(i);
    put(action.features);
    batch.add_action(action.id, action.excluded,
                     outcome.chances.empty() ? 0.0 : outcome.chances[i]);
  }
  batch.end({.chosen = outcome.chosen,
             .chance = outcome.chance,
             .all_chances = !outcome.chances.empty(),
             .reward = outcome.reward,
             .importance = outcome.importance,
             .line = outcome.line,
             .time = outcome.time});
}

std::uint64_t count_lines(const std::filesystem::path& file) {
  LineFile lines(file);
  std::uint64_t count = 0;
  while (lines.next()) ++count;
  return count;
}

}  // namespace sau::detail
