#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/table.hpp"

namespace sau::detail {

// Where a table comes from.
struct TableOrigin {
  std::string name;                          // for the name of its cache file
  std::vector<std::filesystem::path> files;  // absolute, or relative to the current folder
  std::string settings;                      // all that the preparation depends on besides them
};

// The table of some files, prepared at most once: from memory when this process has it, else from
// its cache file, else by prepare(), whose result goes into both. It is prepared again if a file's
// size, time of change or inode differs, or if the cache file is damaged or of another version. If
// the cache folder cannot be written, the table stays in memory, and the first such case gives a
// note (core/note.hpp). Thread-safe; threads that ask for the same table wait for one of them.
// prepare() is called with a lock held and must not give notes.
std::shared_ptr<const Table> open_table(const TableOrigin& origin,
                                        const std::function<TableBuilder()>& prepare);

// Where open_table() keeps the table.
std::filesystem::path cache_file(const TableOrigin& origin);

}  // namespace sau::detail
