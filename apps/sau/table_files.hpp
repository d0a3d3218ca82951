#pragma once

#include <vector>

#include "laboratory.hpp"

namespace sau::cli {

// Shows `cells` in the paper's tables where the paper has numbers for them, and keeps the tables of
// everything in the folder there, in every format: tables.txt, tables.md, tables.csv, tables.tex.
// Those are without running times, so that they depend on nothing but the results.
Adds table_adds(std::vector<Cell> cells);

}  // namespace sau::cli
