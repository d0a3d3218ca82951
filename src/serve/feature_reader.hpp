#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/serve/rank_request.hpp"

namespace sau::detail {

// The hash of a namespace, a name and, of an indicator, its value: the same in every version of the
// program, since models and logs outlive it. Lengths take part, so that no two spellings meet.
class FeatureHash {
 public:
  explicit FeatureHash(std::uint64_t seed) : state_(seed) {}

  FeatureHash with(std::string_view part) const;
  FeatureHash with(std::uint64_t number) const;
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_;
};

// Whose features they are: a context's "age" is not an action's.
inline constexpr std::uint64_t kContextSide = 1, kActionSide = 2;

// Flattens JSON into hashed features; one reader a request.
class FeatureReader {
 public:
  FeatureReader(const RequestLimits& limits, std::vector<HashedFeature>& out)
      : limits_(limits), out_(out) {}

  // An array of feature objects. What is wrong is said without a target: the caller knows it.
  [[nodiscard]] std::optional<Failure> read_list(simdjson::dom::element list, std::uint64_t side);

 private:
  // False when something is wrong, and then wrong_ says what.
  bool read_object(simdjson::dom::object object, const FeatureHash& space, std::size_t depth);
  bool read_value(simdjson::dom::element value, std::string_view name, const FeatureHash& space,
                  std::size_t depth);
  bool read_array(simdjson::dom::array array, std::string_view name, const FeatureHash& space,
                  std::size_t depth);
  bool add(std::uint64_t hash, double value, std::string_view name);
  bool refuse(std::string why);
  bool refuse_depth();

  const RequestLimits& limits_;
  std::string wrong_;
  std::vector<HashedFeature>& out_;
};

}  // namespace sau::detail
