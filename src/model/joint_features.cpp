#include "sau/model/joint_features.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "core/hash.hpp"
#include "model/feature_hash.hpp"

namespace sau {
namespace {

// A namespace that no feature's name is hashed in.
constexpr std::uint64_t kIdSeed = 0x6163'7469'6F6E'2069U;

}  // namespace

HashedFeature id_feature(std::string_view id) noexcept {
  return {.hash = detail::hash_of(id, kIdSeed), .value = 1.0F};
}

std::vector<std::uint64_t> column_hashes(std::size_t dim) {
  std::vector<std::uint64_t> hashes(dim);
  const detail::FeatureHash context(detail::kContextSide);
  for (std::size_t i = 0; i < dim; ++i) hashes[i] = context.number("x" + std::to_string(i));
  return hashes;
}

void put_columns(std::span<const double> x, std::span<const std::uint64_t> columns,
                 std::vector<HashedFeature>& out) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  out.clear();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0.0) continue;
    out.push_back({columns[i], static_cast<float>(std::clamp(x[i], -kLargest, kLargest))});
  }
}

}  // namespace sau
