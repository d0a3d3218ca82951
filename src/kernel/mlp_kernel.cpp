#include "sau/kernel/mlp_kernel.hpp"

#include "kernel/mlp_kernels.hpp"

namespace sau {

const MlpKernel& mlp_kernel(InstructionSet set) noexcept {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return detail::kMlpAvx2;
    case InstructionSet::kAvx512:
      return detail::kMlpAvx512;
#elif defined(__aarch64__)
    case InstructionSet::kNeon:
      return detail::kMlpNeon;
#endif
    default:
      return detail::kMlpPortable;
  }
}

}  // namespace sau
