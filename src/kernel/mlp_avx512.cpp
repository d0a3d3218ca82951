#if defined(__x86_64__)

#include "kernel/mlp_avx2.hpp"
#include "kernel/mlp_vector.hpp"

namespace sau::detail {
namespace {

// Sixteen floats at a time, AVX-512F; AVX2 takes half a vector. Loads and stores are unaligned:
// rows that end in half a vector do not all start at multiples of 64 bytes.
struct Avx512 {
  using Reg = __m512;
  using Half = Avx2;
  using Square = Avx2;
  static constexpr std::size_t kLanes = 16;

  static Reg load(const float* from) noexcept { return _mm512_loadu_ps(from); }
  static void store(float* to, Reg x) noexcept { _mm512_storeu_ps(to, x); }
  static Reg zero() noexcept { return _mm512_setzero_ps(); }
  static Reg set(float x) noexcept { return _mm512_set1_ps(x); }
  static Reg add(Reg a, Reg b) noexcept { return _mm512_add_ps(a, b); }
  static Reg sub(Reg a, Reg b) noexcept { return _mm512_sub_ps(a, b); }
  static Reg mul(Reg a, Reg b) noexcept { return _mm512_mul_ps(a, b); }
  static Reg div(Reg a, Reg b) noexcept { return _mm512_div_ps(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) noexcept { return _mm512_fmadd_ps(a, b, c); }
  static Reg sqrt(Reg x) noexcept { return _mm512_sqrt_ps(x); }
  static Reg max(Reg a, Reg b) noexcept { return _mm512_max_ps(a, b); }
  static Reg where_positive(Reg mask, Reg x) noexcept {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(mask, zero(), _CMP_GT_OQ), x);
  }
  static float sum(Reg x) noexcept { return _mm512_reduce_add_ps(x); }
};

}  // namespace

constinit const MlpKernel kMlpAvx512 = vector_kernel<Avx512>();

}  // namespace sau::detail

#endif
