#include "kernel/ridge_kernels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

// AVX2 and FMA. A panel has four rows; its columns are processed four at a time.

namespace sau::detail {
namespace {

constexpr std::size_t kPad = kRidgePad;

// The sums of the four vectors' elements, in their order.
[[gnu::target("avx2,fma")]] inline __m256d sums_of(__m256d a, __m256d b, __m256d c,
                                                   __m256d d) noexcept {
  const __m256d ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  const __m256d crossed = _mm256_permute2f128_pd(ab, cd, 0x21);
  return _mm256_add_pd(_mm256_blend_pd(ab, cd, 0b1100), crossed);
}

// Four products of x with rows of the given width, `stride` apart. Two columns of accumulators
// hide the latency of the multiply-add.
[[gnu::target("avx2,fma")]] inline __m256d four_products(const double* rows, std::size_t stride,
                                                         std::size_t width,
                                                         const double* x) noexcept {
  const double *r0 = rows, *r1 = rows + stride, *r2 = r1 + stride, *r3 = r2 + stride;
  __m256d a0 = _mm256_setzero_pd(), a1 = a0, a2 = a0, a3 = a0;
  __m256d b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  std::size_t j = 0;
  for (; j + 2 * kPad <= width; j += 2 * kPad) {
    const __m256d first = _mm256_load_pd(x + j), second = _mm256_load_pd(x + j + kPad);
    a0 = _mm256_fmadd_pd(_mm256_load_pd(r0 + j), first, a0);
    a1 = _mm256_fmadd_pd(_mm256_load_pd(r1 + j), first, a1);
    a2 = _mm256_fmadd_pd(_mm256_load_pd(r2 + j), first, a2);
    a3 = _mm256_fmadd_pd(_mm256_load_pd(r3 + j), first, a3);
    b0 = _mm256_fmadd_pd(_mm256_load_pd(r0 + j + kPad), second, b0);
    b1 = _mm256_fmadd_pd(_mm256_load_pd(r1 + j + kPad), second, b1);
    b2 = _mm256_fmadd_pd(_mm256_load_pd(r2 + j + kPad), second, b2);
    b3 = _mm256_fmadd_pd(_mm256_load_pd(r3 + j + kPad), second, b3);
  }
  if (j < width) {
    const __m256d last = _mm256_load_pd(x + j);
    a0 = _mm256_fmadd_pd(_mm256_load_pd(r0 + j), last, a0);
    a1 = _mm256_fmadd_pd(_mm256_load_pd(r1 + j), last, a1);
    a2 = _mm256_fmadd_pd(_mm256_load_pd(r2 + j), last, a2);
    a3 = _mm256_fmadd_pd(_mm256_load_pd(r3 + j), last, a3);
  }
  return sums_of(_mm256_add_pd(a0, b0), _mm256_add_pd(a1, b1), _mm256_add_pd(a2, b2),
                 _mm256_add_pd(a3, b3));
}

[[gnu::target("avx2,fma")]] inline double sum_of(__m256d v) noexcept {
  const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

[[gnu::target("avx2,fma")]] void products(const double* theta, std::size_t count,
                                          std::size_t padded, const double* x,
                                          double* out) noexcept {
  std::size_t a = 0;
  for (; a + 4 <= count; a += 4, theta += 4 * padded) {
    _mm256_storeu_pd(out + a, four_products(theta, padded, padded, x));
  }
  for (; a < count; ++a, theta += padded) {
    __m256d sum = _mm256_setzero_pd();
    for (std::size_t j = 0; j < padded; j += kPad) {
      sum = _mm256_fmadd_pd(_mm256_load_pd(theta + j), _mm256_load_pd(x + j), sum);
    }
    out[a] = sum_of(sum);
  }
}

[[gnu::target("avx2,fma")]] void forms(const double* factor, const double* scale, std::size_t count,
                                       std::size_t padded, const double* x, double* out) noexcept {
  for (std::size_t a = 0; a < count; ++a) {
    __m256d sum = _mm256_setzero_pd();
    for (std::size_t width = kPad; width <= padded; width += kPad) {
      const __m256d f = four_products(factor, width, width, x);
      sum = _mm256_fmadd_pd(_mm256_mul_pd(_mm256_load_pd(scale), f), f, sum);
      factor += kPad * width;
      scale += kPad;
    }
    out[a] = sum_of(sum);
  }
}

// Like the portable one, four rows at a time: a column of the gain is loaded once for all four.
[[gnu::target("avx2,fma")]] double update(double* factor, double* scale, std::size_t padded,
                                          const double* x, double* gain) noexcept {
  double alpha = 1.0;
  for (std::size_t i = 0; i < padded; i += kPad) _mm256_store_pd(gain + i, _mm256_setzero_pd());
  for (std::size_t width = kPad; width <= padded; width += kPad) {
    const __m256d f = four_products(factor, width, width, x);
    const __m256d d = _mm256_load_pd(scale);
    const __m256d v = _mm256_mul_pd(d, f);
    alignas(32) double grow[kPad], before[kPad], after[kPad];
    _mm256_store_pd(grow, _mm256_mul_pd(v, f));
    for (std::size_t row = 0; row < kPad; ++row) {
      before[row] = alpha;
      alpha += grow[row];
      after[row] = alpha;
    }
    const __m256d was = _mm256_load_pd(before);
    _mm256_store_pd(scale, _mm256_mul_pd(d, _mm256_div_pd(was, _mm256_load_pd(after))));
    const __m256d p = _mm256_div_pd(_mm256_sub_pd(_mm256_setzero_pd(), f), was);
    const __m256d v0 = _mm256_permute4x64_pd(v, 0x00), v1 = _mm256_permute4x64_pd(v, 0x55),
                  v2 = _mm256_permute4x64_pd(v, 0xAA), v3 = _mm256_permute4x64_pd(v, 0xFF);
    const __m256d p0 = _mm256_permute4x64_pd(p, 0x00), p1 = _mm256_permute4x64_pd(p, 0x55),
                  p2 = _mm256_permute4x64_pd(p, 0xAA), p3 = _mm256_permute4x64_pd(p, 0xFF);
    double *r0 = factor, *r1 = r0 + width, *r2 = r1 + width, *r3 = r2 + width;
    for (std::size_t j = 0; j < width; j += kPad) {
      const __m256d g0 = _mm256_load_pd(gain + j);
      const __m256d w0 = _mm256_load_pd(r0 + j), w1 = _mm256_load_pd(r1 + j),
                    w2 = _mm256_load_pd(r2 + j), w3 = _mm256_load_pd(r3 + j);
      const __m256d g1 = _mm256_fmadd_pd(v0, w0, g0);
      const __m256d g2 = _mm256_fmadd_pd(v1, w1, g1);
      const __m256d g3 = _mm256_fmadd_pd(v2, w2, g2);
      _mm256_store_pd(r0 + j, _mm256_fmadd_pd(p0, g0, w0));
      _mm256_store_pd(r1 + j, _mm256_fmadd_pd(p1, g1, w1));
      _mm256_store_pd(r2 + j, _mm256_fmadd_pd(p2, g2, w2));
      _mm256_store_pd(r3 + j, _mm256_fmadd_pd(p3, g3, w3));
      _mm256_store_pd(gain + j, _mm256_fmadd_pd(v3, w3, g3));
    }
    factor += kPad * width;
    scale += kPad;
  }
  return alpha;
}

[[gnu::target("avx2,fma")]] void add(double factor, const double* x, std::size_t padded,
                                     double* y) noexcept {
  const __m256d f = _mm256_set1_pd(factor);
  for (std::size_t i = 0; i < padded; i += kPad) {
    _mm256_store_pd(y + i, _mm256_fmadd_pd(f, _mm256_load_pd(x + i), _mm256_load_pd(y + i)));
  }
}

}  // namespace

constinit const RidgeKernel kRidgeAvx2{products, forms, update, add};

}  // namespace sau::detail

#endif
