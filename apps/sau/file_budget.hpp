#pragma once

#include <cstddef>
#include <string>

namespace sau::cli {

// Files that a service wants to have open at the same time, and what they are for.
struct FileBudget {
  std::size_t threads = 2;  // that answer requests
  std::size_t connections = 1000;
  std::size_t health_connections = 0;  // of the health port; 0: there is none
  std::size_t log = 256;               // tables that the log keeps open

  std::size_t files() const noexcept;
};

// The budget that fits into `limit` files: with fewer connections, and fewer files for the log.
// Throws Error when that is too few to be of any use.
FileBudget fitting(const FileBudget& wanted, std::size_t limit);

// Raises the limit of this process as far as it may, and returns the budget that fits into it.
// Where that is less than what was wanted, `note` is a sentence about it.
FileBudget allow_files(const FileBudget& wanted, std::string& note);

}  // namespace sau::cli
