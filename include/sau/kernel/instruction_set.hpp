#pragma once

#include <string_view>

namespace sau {

enum class InstructionSet { kPortable, kAvx2 };  // kAvx2: AVX2 with FMA

// What the kernels run on: the best that this processor has, or what the environment variable
// SAU_KERNEL (auto, portable or avx2) asks for. Decided at the first call and kept. Results of two
// sets differ by rounding. Throws UsageError when SAU_KERNEL cannot be had.
InstructionSet instruction_set();

// "portable" or "avx2".
std::string_view instruction_set_name(InstructionSet set) noexcept;

// Whether this processor can run it.
bool has_instruction_set(InstructionSet set) noexcept;

}  // namespace sau
