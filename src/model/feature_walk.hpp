#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/feature_hash.hpp"
#include "sau/model/joint_features.hpp"

namespace sau::detail {

enum class JsonKind { kText, kFlag, kNumber, kObject, kArray, kNull };

// Turns JSON into hashed features, with any library that reads JSON. `J` says how to look at a
// value:
//     J::Value                        a value, cheap to copy
//     J::kind(value)                  its JsonKind
//     J::text, J::flag, J::number     what a value of that kind holds
//     J::each_member(value, visit)    calls visit(name, member) until it returns false
//     J::each_item(value, visit)      calls visit(item) until it returns false
// Both return false if a visit did.
template <class J>
class FeatureWalk {
 public:
  using Value = typename J::Value;

  // `depth` limits objects and arrays within a features object, `features` the length of `out`.
  FeatureWalk(std::size_t depth, std::size_t features, std::vector<HashedFeature>& out)
      : depth_(depth), features_(features), out_(out) {}

  // An array of feature objects. False when something is wrong, and then wrong() says what.
  bool read_list(Value list, std::uint64_t side) {
    if (J::kind(list) != JsonKind::kArray) return refuse("expected an array of objects");
    return J::each_item(list, [&](Value item) {
      if (J::kind(item) != JsonKind::kObject) return refuse("expected an array of objects");
      return read_object(item, FeatureHash(side), 1);
    });
  }

  // The feature `name` of a namespace, at this depth within the features object.
  bool read_value(Value value, std::string_view name, const FeatureHash& space, std::size_t depth) {
    switch (J::kind(value)) {
      case JsonKind::kText:
        return add(space.indicator(name, J::text(value)), 1.0, name);
      case JsonKind::kFlag:
        return add(space.indicator(name, J::flag(value) ? "true" : "false"), 1.0, name);
      case JsonKind::kNumber:
        return add(space.number(name), J::number(value), name);
      case JsonKind::kObject:
        return read_object(value, space.with(name), depth + 1);
      case JsonKind::kArray:
        return read_array(value, name, space, depth + 1);
      case JsonKind::kNull:
        return true;
    }
    return refuse("expected JSON");
  }

  const std::string& wrong() const noexcept { return wrong_; }

 private:
  bool read_object(Value object, const FeatureHash& space, std::size_t depth) {
    if (depth > depth_) return refuse_depth();
    return J::each_member(object, [&](std::string_view name, Value value) {
      return read_value(value, name, space, depth);
    });
  }

  bool read_array(Value array, std::string_view name, const FeatureHash& space, std::size_t depth) {
    if (depth > depth_) return refuse_depth();
    std::uint64_t place = 0;
    return J::each_item(array, [&](Value item) {
      const std::uint64_t here = place++;
      return J::kind(item) == JsonKind::kNumber
                 ? add(space.element(name, here), J::number(item), name)
                 : read_value(item, name, space, depth);
    });
  }

  bool add(std::uint64_t hash, double value, std::string_view name) {
    if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
      return refuse(fmt::format("the feature '{}' is {}; expected a number within +-3.4e38",
                                name.substr(0, 64), value));
    }
    if (out_.size() >= features_) return refuse(fmt::format("more than {} features", features_));
    // A zero has no effect and would cost as much as any other number.
    if (value != 0.0) out_.push_back({hash, static_cast<float>(value)});
    return true;
  }

  bool refuse(std::string why) {
    wrong_ = std::move(why);
    return false;
  }
  bool refuse_depth() { return refuse(fmt::format("features are nested deeper than {}", depth_)); }

  std::size_t depth_, features_;
  std::string wrong_;
  std::vector<HashedFeature>& out_;
};

}  // namespace sau::detail
