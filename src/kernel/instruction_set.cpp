#include "sau/kernel/instruction_set.hpp"

#include <cstdlib>
#include <string>

#include "sau/core/error.hpp"

namespace sau {
namespace {

InstructionSet decide() {
  const InstructionSet best = has_instruction_set(InstructionSet::kAvx2)
                                  ? InstructionSet::kAvx2
                                  : InstructionSet::kPortable;
  const char* wish = std::getenv("SAU_KERNEL");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  const std::string name = wish == nullptr ? "" : wish;
  if (name.empty() || name == "auto") return best;
  for (const InstructionSet set : {InstructionSet::kPortable, InstructionSet::kAvx2}) {
    if (name != instruction_set_name(set)) continue;
    if (has_instruction_set(set)) return set;
    throw UsageError("SAU_KERNEL=" + name + ": this processor does not have it");
  }
  throw UsageError("SAU_KERNEL=" + name + " is not allowed; expected auto, portable or avx2");
}

}  // namespace

bool has_instruction_set(InstructionSet set) noexcept {
  if (set == InstructionSet::kPortable) return true;
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

std::string_view instruction_set_name(InstructionSet set) noexcept {
  return set == InstructionSet::kAvx2 ? "avx2" : "portable";
}

InstructionSet instruction_set() {
  static const InstructionSet kSet = decide();
  return kSet;
}

}  // namespace sau
