#pragma once

#include <vector>

#include "laboratory.hpp"

namespace sau::cli {

// Shows `cells` in the paper's tables if the paper has numbers for them. Also writes the tables of
// all cells in the folder, in every format: tables.txt, tables.md, tables.csv, tables.tex. The
// files have no running times, so that they depend only on the results.
MakeAddition table_addition(std::vector<Cell> cells);

}  // namespace sau::cli
