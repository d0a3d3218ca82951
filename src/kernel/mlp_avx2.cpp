#if defined(__x86_64__)

#include "kernel/mlp_avx2.hpp"

#include "kernel/mlp_vector.hpp"

namespace sau::detail {

constinit const MlpKernel kMlpAvx2 = vector_kernel<Avx2>();

}  // namespace sau::detail

#endif
