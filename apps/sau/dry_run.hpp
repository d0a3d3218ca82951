#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "laboratory.hpp"

namespace sau::cli {

// Cells that are reported together, on one line.
struct Share {
  std::string name;
  std::vector<Cell> cells;
  std::string remark = {};  // about work that is not in the cells
};

// Prints what a run of these shares would do in the folder and how long it should take, without
// running or writing anything. Returns the exit code.
int dry_run(const Experiment& experiment, const std::filesystem::path& folder,
            const LaboratoryFlags& flags, std::span<const Share> shares);

}  // namespace sau::cli
