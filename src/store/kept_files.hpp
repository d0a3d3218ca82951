#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace sau::detail {

// The system's files, but a table that was opened once stays open as long as this object exists.
// Somebody may remove it; opening it again by its name still works.
std::shared_ptr<rocksdb::FileSystem> keeping_tables_open();

}  // namespace sau::detail
