#pragma once

#include <cstddef>
#include <string>

namespace sau::cli {

// How many files a service wants to have open at the same time, by purpose.
struct FileBudget {
  std::size_t threads = 2;  // threads that answer requests
  std::size_t connections = 1000;
  std::size_t health_connections = 0;  // of the health port; 0 if there is none
  std::size_t log = 256;               // tables that each log keeps open
  std::size_t logs = 1;

  std::size_t files() const noexcept;
};

// The budget that fits into `limit` files: with fewer connections and fewer files for the log.
// Throws Error if the limit is too low to be useful.
FileBudget fitting(const FileBudget& wanted, std::size_t limit);

// Raises this process's limit as far as needed and allowed, and returns the budget that fits into
// it. If that is less than wanted, `note` says so.
FileBudget allow_files(const FileBudget& wanted, std::string& note);

// Raises the limit as far as allowed, for commands that keep every table of a log open.
void allow_all_files() noexcept;

}  // namespace sau::cli
