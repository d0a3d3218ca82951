#pragma once

#include <cstdint>

#include "laboratory.hpp"

namespace sau::cli {

// Runs the theory checks and writes them to the result folder: theory.json, theory.csv.
MakeAddition theory_addition(std::uint64_t seed, std::uint64_t trials);

}  // namespace sau::cli
