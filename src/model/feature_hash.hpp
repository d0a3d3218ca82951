#pragma once

#include <cstdint>
#include <string_view>

#include "core/hash.hpp"

namespace sau::detail {

// The hash of a namespace, a name and, for an indicator, its value. It must stay the same in every
// version of the program: models and logs outlive it. Lengths are hashed too, so that the same
// letters split in another way give another hash.
class FeatureHash {
 public:
  explicit FeatureHash(std::uint64_t seed) : state_(seed) {}

  // A namespace within this one.
  FeatureHash with(std::string_view part) const {
    return FeatureHash(hash_of(part, state_ + part.size()));
  }
  std::uint64_t value() const noexcept { return state_; }

  // The feature `name` with a number.
  std::uint64_t number(std::string_view name) const { return with(name).value(); }
  // The indicator `name=text`.
  std::uint64_t indicator(std::string_view name, std::string_view text) const {
    return with(name).with(kIndicator).with(text).value();
  }
  // The number at this place of the list `name`: the places of a vector are not interchangeable.
  std::uint64_t element(std::string_view name, std::uint64_t place) const {
    return with(name).with(kElement).with(place).value();
  }

 private:
  // Distinguish an indicator `name=value` and the i-th number of a list from a plain number `name`.
  static constexpr std::uint64_t kIndicator = 0x9D7F3C5B, kElement = 0x51E2A7C3;

  FeatureHash with(std::uint64_t number) const {
    return FeatureHash(XXH3_64bits_withSeed(&number, sizeof number, state_));
  }

  std::uint64_t state_;
};

// Whose features they are: a context's "age" is not an action's.
inline constexpr std::uint64_t kContextSide = 1, kActionSide = 2;

}  // namespace sau::detail
