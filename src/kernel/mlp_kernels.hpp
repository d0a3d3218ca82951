#pragma once

#include "sau/kernel/mlp_kernel.hpp"

namespace sau::detail {

// Shared by all kernels: vectors do not help here.
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
