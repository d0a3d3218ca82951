#pragma once

#include <cstdint>
#include <span>

namespace sau {

// A feature by the hash of its namespace and name, all 64 bits of it; a model uses as many as it
// has room for. An indicator has the value 1.
struct HashedFeature {
  std::uint64_t hash = 0;
  float value = 0.0F;

  bool operator==(const HashedFeature&) const = default;
};

using HashedFeatures = std::span<const HashedFeature>;

// The hash of "both": a cross of a context feature and an action feature. Not symmetric.
constexpr std::uint64_t crossed(std::uint64_t context, std::uint64_t action) noexcept {
  std::uint64_t h = (context ^ (action >> 29)) * 0x9E3779B97F4A7C15U + action;
  h ^= h >> 32;
  return h * 0xD6E8FEB86659FD93U;
}

}  // namespace sau
