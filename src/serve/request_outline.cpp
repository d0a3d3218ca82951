#include "serve/request_outline.hpp"

#include <simdjson.h>

#include <algorithm>
#include <string>
#include <utility>

namespace sau::detail {
namespace {

using simdjson::SUCCESS;
using simdjson::ondemand::value;

constexpr std::string_view kEmptyArray = "[]";

// Calls `visit(name, value)` for each field until it returns false.
template <class Visit>
bool each_field(simdjson::ondemand::object& object, Visit visit) {
  for (auto each : object) {
    simdjson::ondemand::field field;
    std::string_view name;
    if (std::move(each).get(field) != SUCCESS || field.unescaped_key().get(name) != SUCCESS ||
        !visit(name, field.value())) {
      return false;
    }
  }
  return true;
}

// The array, or `none` for null; false for anything else.
bool read_array(value json, simdjson::ondemand::array& array, bool& none) {
  return json.is_null().get(none) == SUCCESS && (none || json.get_array().get(array) == SUCCESS);
}

// For null, leaves `text` unchanged.
bool read_array_text(value json, std::string_view& text) {
  simdjson::ondemand::array array;
  bool none = false;
  return read_array(json, array, none) && (none || array.raw_json().get(text) == SUCCESS);
}

}  // namespace

struct RequestOutline::Reader {
  simdjson::ondemand::parser parser;
  std::string text;  // minified, then room that the parser may read
  std::vector<std::string_view> excluded;

  bool minify(std::string_view request, std::string_view& minified) {
    // Never shrinks: growing again would fill memory that is overwritten anyway.
    const std::size_t room = request.size() + simdjson::SIMDJSON_PADDING;
    if (text.size() < room) text.resize(room);
    std::size_t size = 0;
    if (simdjson::minify(request.data(), request.size(), text.data(), size) != SUCCESS) {
      return false;
    }
    minified = {text.data(), size};
    return true;
  }

  // If a name occurs twice, the first counts, as it did when the request was decided.
  bool read_parts(RequestOutline& to) {
    simdjson::ondemand::document document;
    simdjson::ondemand::object root;
    if (parser.iterate(to.text_, text.size()).get(document) != SUCCESS ||
        document.get_object().get(root) != SUCCESS) {
      return false;
    }
    bool has_context = false, has_actions = false, has_excluded = false;
    return each_field(root, [&](std::string_view name, value json) {
      if (name == "contextFeatures" && !std::exchange(has_context, true)) {
        return read_array_text(json, to.context_);
      }
      if (name == "actions" && !std::exchange(has_actions, true)) {
        return read_actions(json, to.actions_);
      }
      if (name == "excludedActions" && !std::exchange(has_excluded, true)) {
        return read_excluded(json);
      }
      return true;
    });
  }

  static bool read_actions(value json, std::vector<Action>& to) {
    simdjson::ondemand::array list;
    if (json.get_array().get(list) != SUCCESS) return false;
    for (auto each : list) {
      simdjson::ondemand::object object;
      if (each.get_object().get(object) != SUCCESS) return false;
      Action action{.id = {}, .features = kEmptyArray};
      bool has_id = false, has_features = false;
      const bool good = each_field(object, [&](std::string_view name, value part) {
        if (name == "id" && !std::exchange(has_id, true)) {
          return part.get_string().get(action.id) == SUCCESS;
        }
        if (name == "features" && !std::exchange(has_features, true)) {
          return read_array_text(part, action.features);
        }
        return true;
      });
      if (!good || !has_id) return false;
      to.push_back(action);
    }
    return true;
  }

  bool read_excluded(value json) {
    simdjson::ondemand::array list;
    bool none = false;
    if (!read_array(json, list, none)) return false;
    if (none) return true;
    for (auto each : list) {
      std::string_view id;
      if (each.get_string().get(id) != SUCCESS) return false;
      excluded.push_back(id);
    }
    return true;
  }
};

RequestOutline::RequestOutline() : reader_(std::make_unique<Reader>()) {}
RequestOutline::~RequestOutline() = default;

bool RequestOutline::read(std::string_view request) {
  Reader& reader = *reader_;
  context_ = kEmptyArray;
  actions_.clear();
  reader.excluded.clear();
  if (!reader.minify(request, text_) || !reader.read_parts(*this) || actions_.empty()) {
    return false;
  }
  if (reader.excluded.empty()) return true;
  std::ranges::sort(reader.excluded);
  for (Action& action : actions_) {
    action.excluded = std::ranges::binary_search(reader.excluded, action.id);
  }
  return true;
}

}  // namespace sau::detail
