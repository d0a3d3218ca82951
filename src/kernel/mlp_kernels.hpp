#pragma once

#include "sau/kernel/mlp_kernel.hpp"

namespace sau::detail {

// The one of every kernel: it has nothing to do for vectors.
std::size_t compress(const float* x, std::size_t width, std::uint32_t* index,
                     float* value) noexcept;

extern const MlpKernel kMlpPortable;
#if defined(__x86_64__)
extern const MlpKernel kMlpAvx2;
extern const MlpKernel kMlpAvx512;
#elif defined(__aarch64__)
extern const MlpKernel kMlpNeon;
#endif

}  // namespace sau::detail
