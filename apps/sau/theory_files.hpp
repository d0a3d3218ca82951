#pragma once

#include <cstdint>

#include "laboratory.hpp"

namespace sau::cli {

// Makes the checks of the theory and keeps them in the result folder: theory.json, theory.csv.
Adds theory_adds(std::uint64_t seed, std::uint64_t trials);

}  // namespace sau::cli
