#include "sau/kernel/ridge_kernel.hpp"

#include "kernel/ridge_kernels.hpp"

namespace sau {

const RidgeKernel& ridge_kernel(InstructionSet set) noexcept {
#if defined(__x86_64__)
  if (set >= InstructionSet::kAvx2) return detail::kRidgeAvx2;  // there is no wider one
#endif
  static_cast<void>(set);
  return detail::kRidgePortable;
}

}  // namespace sau
