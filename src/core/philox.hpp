#pragma once

#include <cstdint>

#include "sau/core/rng.hpp"

namespace sau::detail {

// Philox4x64-10 (Salmon et al. 2011) under the key {seed, 0}: the blocks with counters
// {first, trial, scope, role}, {first + 1, ...}, ... modulo 2^62, as 4 words each. Both give the
// same words; the second is for processors that have AVX2.
constexpr std::uint64_t kPhiloxBlocks = 8;
void philox_portable(const Stream& stream, std::uint64_t first, std::uint64_t* words) noexcept;
#if defined(__x86_64__)
void philox_avx2(const Stream& stream, std::uint64_t first, std::uint64_t* words) noexcept;
#endif

// The faster of the two on this processor.
void philox(const Stream& stream, std::uint64_t first, std::uint64_t* words) noexcept;

}  // namespace sau::detail
