#pragma once

#include <cstdint>

#include "sau/run/experiment.hpp"

namespace sau {

// The memory that this process may use, in bytes: main memory and swap of the machine, or less if
// its control group has a limit. 0 if the system does not say.
std::uint64_t machine_memory();

// Bytes that were allocated from the heap and not freed, 0 if the system does not say. Counts those
// of other threads only if they are large.
std::uint64_t heap_in_use() noexcept;

// Throws Error if `threads` trials at the same time need more than `memory` bytes by
// Cell::trial_bytes. It says how many threads would fit.
void check_memory(const Experiment& experiment, unsigned threads, std::uint64_t memory);

}  // namespace sau
