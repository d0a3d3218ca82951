#include "core/philox.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sau::detail {
namespace {

// The constants of Salmon et al. (2011).
constexpr int kRounds = 10;
constexpr std::uint64_t kMultiplier0 = 0xD2E7470EE14C6C93;
constexpr std::uint64_t kMultiplier1 = 0xCA5A826395121157;
constexpr std::uint64_t kWeyl0 = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kWeyl1 = 0xBB67AE8584CAA73B;
// Words are counted in 64 bits, so a stream has 2^62 blocks of four words and then starts over.
constexpr std::uint64_t kLastBlock = ~std::uint64_t{0} >> 2;

}  // namespace

void philox_portable(const Stream& stream, std::uint64_t first, std::uint64_t* words) noexcept {
  // Blocks do not depend on each other: the processor overlaps them by itself.
  for (std::uint64_t block = first; block != first + kPhiloxBlocks; ++block) {
    std::uint64_t w0 = block & kLastBlock, w1 = stream.trial, w2 = stream.scope;
    auto w3 = static_cast<std::uint64_t>(stream.role);
    std::uint64_t key0 = stream.seed, key1 = 0;
    for (int round = 0; round < kRounds; ++round) {
      const auto product0 = Uint128{kMultiplier0} * w0;
      const auto product1 = Uint128{kMultiplier1} * w2;
      w0 = static_cast<std::uint64_t>(product1 >> 64) ^ w1 ^ key0;
      w1 = static_cast<std::uint64_t>(product1);
      w2 = static_cast<std::uint64_t>(product0 >> 64) ^ w3 ^ key1;
      w3 = static_cast<std::uint64_t>(product0);
      key0 += kWeyl0;
      key1 += kWeyl1;
    }
    *words++ = w0;
    *words++ = w1;
    *words++ = w2;
    *words++ = w3;
  }
}

#if defined(__x86_64__)
#define SAU_AVX2 __attribute__((target("avx2")))

namespace {

struct Product {
  __m256i high, low;
};

SAU_AVX2 inline __m256i spread(std::uint64_t value) noexcept {
  return _mm256_set1_epi64x(static_cast<std::int64_t>(value));
}

// x * m, 64 by 64 to 128 bits in four lanes, from 32-bit products as in long multiplication.
SAU_AVX2 inline Product multiply(__m256i x, std::uint64_t m) noexcept {
  const __m256i m_low = spread(m & 0xFFFFFFFF);
  const __m256i m_high = spread(m >> 32);
  const __m256i x_high = _mm256_srli_epi64(x, 32);
  const __m256i low = _mm256_mul_epu32(x, m_low);
  const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(x, m_high), _mm256_srli_epi64(low, 32));
  const __m256i carry = _mm256_add_epi64(_mm256_mul_epu32(x_high, m_low),
                                         _mm256_and_si256(cross, spread(0xFFFFFFFF)));
  const __m256i high = _mm256_add_epi64(
      _mm256_add_epi64(_mm256_mul_epu32(x_high, m_high), _mm256_srli_epi64(cross, 32)),
      _mm256_srli_epi64(carry, 32));
  return {high, _mm256_blend_epi32(low, _mm256_slli_epi64(carry, 32), 0xAA)};
}

SAU_AVX2 inline __m256i xor3(__m256i a, __m256i b, std::uint64_t key) noexcept {
  return _mm256_xor_si256(_mm256_xor_si256(a, b), spread(key));
}

}  // namespace

SAU_AVX2 void philox_avx2(const Stream& stream, std::uint64_t first,
                          std::uint64_t* words) noexcept {
  // Two groups of four blocks: one alone would wait for its own multiplications.
  constexpr std::uint64_t kGroups = kPhiloxBlocks / 4;
  __m256i w0[kGroups], w1[kGroups], w2[kGroups], w3[kGroups];
  for (std::uint64_t g = 0; g < kGroups; ++g) {
    w0[g] = _mm256_and_si256(_mm256_add_epi64(spread(first + 4 * g), _mm256_set_epi64x(3, 2, 1, 0)),
                             spread(kLastBlock));
    w1[g] = spread(stream.trial);
    w2[g] = spread(stream.scope);
    w3[g] = spread(static_cast<std::uint64_t>(stream.role));
  }
  std::uint64_t key0 = stream.seed, key1 = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint64_t g = 0; g < kGroups; ++g) {
      const Product product0 = multiply(w0[g], kMultiplier0);
      const Product product1 = multiply(w2[g], kMultiplier1);
      w0[g] = xor3(product1.high, w1[g], key0);
      w1[g] = product1.low;
      w2[g] = xor3(product0.high, w3[g], key1);
      w3[g] = product0.low;
    }
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  for (std::uint64_t g = 0; g < kGroups; ++g) {
    // Lanes are blocks; in memory a block's four words lie together.
    const __m256i even01 = _mm256_unpacklo_epi64(w0[g], w1[g]);
    const __m256i odd01 = _mm256_unpackhi_epi64(w0[g], w1[g]);
    const __m256i even23 = _mm256_unpacklo_epi64(w2[g], w3[g]);
    const __m256i odd23 = _mm256_unpackhi_epi64(w2[g], w3[g]);
    auto* to = reinterpret_cast<__m256i*>(words + 16 * g);
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(even01, even23, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(odd01, odd23, 0x20));
    _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(even01, even23, 0x31));
    _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(odd01, odd23, 0x31));
  }
}

#undef SAU_AVX2

void philox(const Stream& stream, std::uint64_t first, std::uint64_t* words) noexcept {
  static const bool kAvx2 = __builtin_cpu_supports("avx2") != 0;
  if (kAvx2) {
    philox_avx2(stream, first, words);
  } else {
    philox_portable(stream, first, words);
  }
}
#else
void philox(const Stream& stream, std::uint64_t first, std::uint64_t* words) noexcept {
  philox_portable(stream, first, words);
}
#endif

}  // namespace sau::detail
