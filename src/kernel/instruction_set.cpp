#include "sau/kernel/instruction_set.hpp"

#include <cstdlib>
#include <string>

#include "sau/core/error.hpp"

namespace sau {
namespace {

InstructionSet decide() {
  InstructionSet best = InstructionSet::kPortable;
  std::string known = "auto";
  const char* wish = std::getenv("SAU_KERNEL");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const std::string name = wish == nullptr ? "" : wish;
  for (const InstructionSet set : kInstructionSets) {
    if (has_instruction_set(set)) best = set;
    known += ", " + std::string(instruction_set_name(set));
    if (name != instruction_set_name(set)) continue;
    if (has_instruction_set(set)) return set;
    throw UsageError("SAU_KERNEL=" + name + ": this processor does not have it");
  }
  if (name.empty() || name == "auto") return best;
  throw UsageError("SAU_KERNEL=" + name + " is not allowed; expected one of " + known);
}

}  // namespace

bool has_instruction_set(InstructionSet set) noexcept {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case InstructionSet::kAvx512:
      return has_instruction_set(InstructionSet::kAvx2) && __builtin_cpu_supports("avx512f") != 0;
#elif defined(__aarch64__)
    case InstructionSet::kNeon:
      return true;
#endif
    default:
      return set == InstructionSet::kPortable;
  }
}

std::string_view instruction_set_name(InstructionSet set) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"portable", "neon", "avx2", "avx512"};
  return kNames[static_cast<std::size_t>(set)];
}

InstructionSet instruction_set() {
  static const InstructionSet kSet = decide();
  return kSet;
}

}  // namespace sau
