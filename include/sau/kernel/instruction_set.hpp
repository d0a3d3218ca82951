#pragma once

#include <array>
#include <string_view>

namespace sau {

// From plain C++ to the fastest. kAvx2 is AVX2 with FMA; kAvx512 adds AVX-512F.
enum class InstructionSet { kPortable, kNeon, kAvx2, kAvx512 };
inline constexpr std::array kInstructionSets{InstructionSet::kPortable, InstructionSet::kNeon,
                                             InstructionSet::kAvx2, InstructionSet::kAvx512};

// What the kernels run on: the best that this processor has, or what the environment variable
// SAU_KERNEL (auto or a name below) asks for. Decided at the first call and kept. Results of two
// sets differ by rounding. Throws UsageError if SAU_KERNEL is unknown or the processor lacks it.
InstructionSet instruction_set();

// "portable", "neon", "avx2" or "avx512".
std::string_view instruction_set_name(InstructionSet set) noexcept;

// Whether this processor can run it.
bool has_instruction_set(InstructionSet set) noexcept;

}  // namespace sau
