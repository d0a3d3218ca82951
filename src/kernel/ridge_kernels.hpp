#pragma once

#include "sau/kernel/ridge_kernel.hpp"

namespace sau::detail {

extern const RidgeKernel kRidgePortable;
#if defined(__x86_64__)
extern const RidgeKernel kRidgeAvx2;
#endif

}  // namespace sau::detail
