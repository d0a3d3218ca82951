#pragma once

// xxHash, inlined. Include it through this file only.
#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): its own name
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace sau::detail {

// XXH3. It must stay the same in every version of the program: models and logs outlive it.
inline std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed = 0) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace sau::detail
