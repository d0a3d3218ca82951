#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "data/table.hpp"

namespace sau::detail {

// Where a table comes from.
struct TableOrigin {
  std::string name;            // for the name of its cache file
  std::filesystem::path file;  // as the reader needs it; a relative path counts from here
  std::string settings;        // all that the preparation depends on besides the file
};

// The table of a file, prepared at most once: from memory when this process has it, else from its
// cache file, else by prepare(), whose result goes into both. A file of another size, time of
// change or inode is prepared anew, and so is a cache file that is damaged or of another version.
// Where the cache folder cannot be written, the table stays in memory, and the first such case is
// a note (core/note.hpp). Thread-safe; threads that ask for the same table wait for one of them.
// prepare() is called with a lock held and must give no notes itself.
std::shared_ptr<const Table> open_table(const TableOrigin& origin,
                                        const std::function<TableBuilder()>& prepare);

// Where open_table() keeps the table.
std::filesystem::path cache_file(const TableOrigin& origin);

}  // namespace sau::detail
