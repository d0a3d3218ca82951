#include "serve/chosen_parts.hpp"

#include <algorithm>
#include <utility>

namespace sau::detail {

bool ChosenParts::find(std::string_view request, std::size_t chosen) {
  constexpr std::size_t kUsual = 262'144;
  namespace json = simdjson::ondemand;
  context_ = action_ = {};
  if (text_.size() > kUsual) {
    text_ = {};
    parser_ = json::parser();
  }
  const std::size_t room = request.size() + simdjson::SIMDJSON_PADDING;
  if (text_.size() < room) text_.resize(room);
  std::ranges::copy(request, text_.begin());
  json::document document;
  json::object root;
  if (parser_.iterate(std::string_view(text_).substr(0, request.size()), text_.size())
              .get(document) != simdjson::SUCCESS ||
      document.get_object().get(root) != simdjson::SUCCESS) {
    return false;
  }
  // If a name occurs twice, the first counts, as it did when the request was decided.
  bool has_context = false;
  for (auto each : root) {
    json::field field;
    std::string_view name;
    if (std::move(each).get(field) != simdjson::SUCCESS ||
        field.unescaped_key().get(name) != simdjson::SUCCESS) {
      return false;
    }
    if (name == "contextFeatures" && !has_context) {
      has_context = true;
      if (!find_context(field.value())) return false;
    } else if (name == "actions" && action_.empty()) {
      if (!find_action(field.value(), chosen)) return false;
    }
    if (has_context && !action_.empty()) break;
  }
  return !action_.empty();
}

bool ChosenParts::find_context(simdjson::ondemand::value json) {
  bool none = false;
  simdjson::ondemand::array list;
  if (json.is_null().get(none) != simdjson::SUCCESS) return false;
  return none || (json.get_array().get(list) == simdjson::SUCCESS &&
                  list.raw_json().get(context_) == simdjson::SUCCESS);
}

// After the chosen action the loop only skips the rest of the list.
bool ChosenParts::find_action(simdjson::ondemand::value json, std::size_t chosen) {
  simdjson::ondemand::array list;
  if (json.get_array().get(list) != simdjson::SUCCESS) return false;
  std::size_t place = 0;
  for (auto each : list) {
    if (place++ < chosen || !action_.empty()) continue;
    simdjson::ondemand::object object;
    if (each.get_object().get(object) != simdjson::SUCCESS ||
        object.raw_json().get(action_) != simdjson::SUCCESS) {
      return false;
    }
  }
  return !action_.empty();
}

}  // namespace sau::detail
