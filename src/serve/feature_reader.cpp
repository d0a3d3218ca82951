#include "serve/feature_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/hash.hpp"

namespace sau::detail {
namespace {

constexpr std::string_view kTrue = "true", kFalse = "false";
// Tells an indicator `name=value` and the i-th number of an array from a plain number `name`.
constexpr std::uint64_t kIndicator = 0x9D7F3C5B, kElement = 0x51E2A7C3;

}  // namespace

FeatureHash FeatureHash::with(std::string_view part) const {
  return FeatureHash(detail::hash_of(part, state_ + part.size()));
}

FeatureHash FeatureHash::with(std::uint64_t number) const {
  return FeatureHash(XXH3_64bits_withSeed(&number, sizeof number, state_));
}

std::optional<Failure> FeatureReader::read_list(simdjson::dom::element list, std::uint64_t side) {
  simdjson::dom::array objects;
  bool good = list.get(objects) == simdjson::SUCCESS || refuse("expected an array of objects");
  if (good) {
    for (const simdjson::dom::element item : objects) {
      simdjson::dom::object object;
      good = item.get(object) == simdjson::SUCCESS ? read_object(object, FeatureHash(side), 1)
                                                   : refuse("expected an array of objects");
      if (!good) break;
    }
  }
  if (good) return std::nullopt;
  return Failure{Failure::Code::kBadRequest, std::move(wrong_)};
}

bool FeatureReader::read_object(simdjson::dom::object object, const FeatureHash& space,
                                std::size_t depth) {
  if (depth > limits_.depth) return refuse_depth();
  for (const auto [name, value] : object) {
    if (!read_value(value, name, space, depth)) return false;
  }
  return true;
}

bool FeatureReader::read_value(simdjson::dom::element value, std::string_view name,
                               const FeatureHash& space, std::size_t depth) {
  const auto indicator = [&](std::string_view text) {
    return add(space.with(name).with(kIndicator).with(text).value(), 1.0, name);
  };
  switch (value.type()) {
    case simdjson::dom::element_type::STRING:
      return indicator(value.get_string().value_unsafe());
    case simdjson::dom::element_type::BOOL:
      return indicator(value.get_bool().value_unsafe() ? kTrue : kFalse);
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
    case simdjson::dom::element_type::DOUBLE:
      return add(space.with(name).value(), value.get_double().value_unsafe(), name);
    case simdjson::dom::element_type::OBJECT:
      return read_object(value.get_object().value_unsafe(), space.with(name), depth + 1);
    case simdjson::dom::element_type::ARRAY:
      return read_array(value.get_array().value_unsafe(), name, space, depth + 1);
    case simdjson::dom::element_type::NULL_VALUE:
      return true;
  }
  return refuse("expected JSON");
}

bool FeatureReader::read_array(simdjson::dom::array array, std::string_view name,
                               const FeatureHash& space, std::size_t depth) {
  if (depth > limits_.depth) return refuse_depth();
  std::uint64_t place = 0;
  for (const simdjson::dom::element item : array) {
    // A list of numbers is a vector: its places are not interchangeable.
    const bool good = item.is_number() ? add(space.with(name).with(kElement).with(place).value(),
                                             item.get_double().value_unsafe(), name)
                                       : read_value(item, name, space, depth);
    if (!good) return false;
    ++place;
  }
  return true;
}

bool FeatureReader::add(std::uint64_t hash, double value, std::string_view name) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
    return refuse(fmt::format("the feature '{}' is {}; expected a number within +-3.4e38",
                              name.substr(0, 64), value));
  }
  if (out_.size() >= limits_.features) {
    return refuse(fmt::format("more than {} features", limits_.features));
  }
  // A zero says nothing and would cost as much as any other number.
  if (value != 0.0) out_.push_back({hash, static_cast<float>(value)});
  return true;
}

bool FeatureReader::refuse(std::string why) {
  wrong_ = std::move(why);
  return false;
}

bool FeatureReader::refuse_depth() {
  return refuse(fmt::format("features are nested deeper than {}", limits_.depth));
}

}  // namespace sau::detail
