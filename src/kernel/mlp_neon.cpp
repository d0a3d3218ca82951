#if defined(__aarch64__)

#include <arm_neon.h>

#include "kernel/mlp_vector.hpp"

namespace sau::detail {
namespace {

// Four floats at a time: every 64-bit ARM processor has it.
struct Neon {
  using Reg = float32x4_t;
  using Square = Neon;
  static constexpr std::size_t kLanes = 4;

  static Reg load(const float* from) noexcept { return vld1q_f32(from); }
  static void store(float* to, Reg x) noexcept { vst1q_f32(to, x); }
  static Reg zero() noexcept { return vdupq_n_f32(0.0F); }
  static Reg set(float x) noexcept { return vdupq_n_f32(x); }
  static Reg add(Reg a, Reg b) noexcept { return vaddq_f32(a, b); }
  static Reg sub(Reg a, Reg b) noexcept { return vsubq_f32(a, b); }
  static Reg mul(Reg a, Reg b) noexcept { return vmulq_f32(a, b); }
  static Reg div(Reg a, Reg b) noexcept { return vdivq_f32(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) noexcept { return vfmaq_f32(c, a, b); }
  static Reg sqrt(Reg x) noexcept { return vsqrtq_f32(x); }
  static Reg max(Reg a, Reg b) noexcept { return vmaxq_f32(a, b); }
  static Reg where_positive(Reg mask, Reg x) noexcept {
    return vbslq_f32(vcgtq_f32(mask, zero()), x, zero());
  }
  static float sum(Reg x) noexcept { return vaddvq_f32(x); }
  // The transpose of a square; rows are `from_row` and `to_row` floats apart.
  static void turn(const float* from, std::size_t from_row, float* to,
                   std::size_t to_row) noexcept {
    const float32x4x2_t upper = vtrnq_f32(load(from), load(from + from_row));
    const float32x4x2_t lower = vtrnq_f32(load(from + 2 * from_row), load(from + 3 * from_row));
    for (int i = 0; i < 2; ++i) {
      store(to + static_cast<std::size_t>(i) * to_row,
            vcombine_f32(vget_low_f32(upper.val[i]), vget_low_f32(lower.val[i])));
      store(to + static_cast<std::size_t>(i + 2) * to_row,
            vcombine_f32(vget_high_f32(upper.val[i]), vget_high_f32(lower.val[i])));
    }
  }
};

}  // namespace

constinit const MlpKernel kMlpNeon = vector_kernel<Neon>();

}  // namespace sau::detail

#endif
