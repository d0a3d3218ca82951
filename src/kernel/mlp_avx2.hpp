#pragma once

#include <immintrin.h>

#include <cstddef>

namespace sau::detail {
namespace {

// Eight floats at a time, AVX2 with FMA.
struct Avx2 {
  using Reg = __m256;
  using Square = Avx2;
  static constexpr std::size_t kLanes = 8;

  static Reg load(const float* from) noexcept { return _mm256_load_ps(from); }
  static void store(float* to, Reg x) noexcept { _mm256_store_ps(to, x); }
  static Reg zero() noexcept { return _mm256_setzero_ps(); }
  static Reg set(float x) noexcept { return _mm256_set1_ps(x); }
  static Reg add(Reg a, Reg b) noexcept { return _mm256_add_ps(a, b); }
  static Reg sub(Reg a, Reg b) noexcept { return _mm256_sub_ps(a, b); }
  static Reg mul(Reg a, Reg b) noexcept { return _mm256_mul_ps(a, b); }
  static Reg div(Reg a, Reg b) noexcept { return _mm256_div_ps(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) noexcept { return _mm256_fmadd_ps(a, b, c); }
  static Reg sqrt(Reg x) noexcept { return _mm256_sqrt_ps(x); }
  // NaN if b is NaN.
  static Reg max(Reg a, Reg b) noexcept { return _mm256_max_ps(a, b); }
  // x where `mask` is positive, 0 elsewhere.
  static Reg where_positive(Reg mask, Reg x) noexcept {
    return _mm256_and_ps(_mm256_cmp_ps(mask, zero(), _CMP_GT_OQ), x);
  }
  static float sum(Reg x) noexcept {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  // The transpose of a square; rows are `from_row` and `to_row` floats apart.
  static void turn(const float* from, std::size_t from_row, float* to,
                   std::size_t to_row) noexcept {
    Reg x[kLanes], pair[kLanes];
    for (std::size_t i = 0; i < 4; ++i) {  // the halves of rows i and i + 4 side by side
      const Reg low = load(from + i * from_row), high = load(from + (i + 4) * from_row);
      x[i] = _mm256_permute2f128_ps(low, high, 0x20);
      x[i + 4] = _mm256_permute2f128_ps(low, high, 0x31);
    }
    for (std::size_t i = 0; i < kLanes; i += 2) {
      pair[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
      pair[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    for (std::size_t i = 0; i < kLanes; i += 4) {
      store(to + (i + 0) * to_row, _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44));
      store(to + (i + 1) * to_row, _mm256_shuffle_ps(pair[i], pair[i + 2], 0xEE));
      store(to + (i + 2) * to_row, _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44));
      store(to + (i + 3) * to_row, _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xEE));
    }
  }
};

}  // namespace
}  // namespace sau::detail
