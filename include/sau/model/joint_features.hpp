#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sau {

// A feature, identified by the 64-bit hash of its namespace and name; a model uses as many of the
// bits as it has room for. An indicator has the value 1.
struct HashedFeature {
  std::uint64_t hash = 0;
  float value = 0.0F;

  bool operator==(const HashedFeature&) const = default;
};

using HashedFeatures = std::span<const HashedFeature>;

// One of the actions that can be chosen in a step or a call.
struct OfferedAction {
  std::string_view id;
  HashedFeatures features;
  bool excluded = false;
};

// The indicator of an action's id. Its hash is also the key under which the id's statistics are
// kept.
HashedFeature id_feature(std::string_view id) noexcept;

// A dense context as features: column i is the number called "x<i>", the same feature as a number
// of that name in a request to the service. Columns that are 0 are left out.
std::vector<std::uint64_t> column_hashes(std::size_t dim);
// Allocates only if `out` has no room for all columns.
void put_columns(std::span<const double> x, std::span<const std::uint64_t> columns,
                 std::vector<HashedFeature>& out);

// The hash of "both": a cross of a context feature and an action feature. Not symmetric.
constexpr std::uint64_t crossed(std::uint64_t context, std::uint64_t action) noexcept {
  std::uint64_t h = (context ^ (action >> 29)) * 0x9E3779B97F4A7C15U + action;
  h ^= h >> 32;
  return h * 0xD6E8FEB86659FD93U;
}

}  // namespace sau
