#pragma once

#include <vector>

#include "laboratory.hpp"

namespace sau::cli {

// Writes the tables of all cells in the folder for which the paper has numbers, in every format:
// tables.txt, tables.md, tables.csv, tables.tex. The files have no running times, so that they
// depend only on the results.
void write_table_files(const std::filesystem::path& folder);

// The same, and shows `cells` in the paper's tables if the paper has numbers for them.
MakeAddition table_addition(std::vector<Cell> cells);

}  // namespace sau::cli
