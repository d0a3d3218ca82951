#pragma once

#include <simdjson.h>

#include <optional>
#include <vector>

#include "model/feature_walk.hpp"
#include "sau/serve/rank_request.hpp"

namespace sau::detail {

// Adapts simdjson's values to FeatureWalk.
struct SimdJson {
  using Value = simdjson::dom::element;

  static JsonKind kind(Value value) noexcept {
    switch (value.type()) {
      case simdjson::dom::element_type::STRING:
        return JsonKind::kText;
      case simdjson::dom::element_type::BOOL:
        return JsonKind::kFlag;
      case simdjson::dom::element_type::INT64:
      case simdjson::dom::element_type::UINT64:
      case simdjson::dom::element_type::DOUBLE:
        return JsonKind::kNumber;
      case simdjson::dom::element_type::OBJECT:
        return JsonKind::kObject;
      case simdjson::dom::element_type::ARRAY:
        return JsonKind::kArray;
      case simdjson::dom::element_type::NULL_VALUE:
        break;
    }
    return JsonKind::kNull;
  }
  static std::string_view text(Value value) { return value.get_string().value_unsafe(); }
  static bool flag(Value value) { return value.get_bool().value_unsafe(); }
  static double number(Value value) { return value.get_double().value_unsafe(); }

  template <class Visit>
  static bool each_member(Value object, const Visit& visit) {
    const simdjson::dom::object members = object.get_object().value_unsafe();
    for (const auto [name, value] : members) {
      if (!visit(name, value)) return false;
    }
    return true;
  }
  template <class Visit>
  static bool each_item(Value array, const Visit& visit) {
    const simdjson::dom::array items = array.get_array().value_unsafe();
    for (const Value item : items) {
      if (!visit(item)) return false;
    }
    return true;
  }
};

// Flattens JSON into hashed features; one reader per request.
class FeatureReader {
 public:
  FeatureReader(const RequestLimits& limits, std::vector<HashedFeature>& out)
      : walk_(limits.depth, limits.features, out) {}

  // Reads an array of feature objects. A failure has no target: the caller sets it.
  [[nodiscard]] std::optional<Failure> read_list(simdjson::dom::element list, std::uint64_t side) {
    if (walk_.read_list(list, side)) return std::nullopt;
    return Failure{Failure::Code::kBadRequest, walk_.wrong()};
  }

 private:
  FeatureWalk<SimdJson> walk_;
};

}  // namespace sau::detail
