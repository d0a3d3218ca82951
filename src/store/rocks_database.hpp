#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>
#include <rocksdb/write_buffer_manager.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "sau/store/record.hpp"
#include "store/sequence_key.hpp"

namespace sau::detail {

// One column family each.
enum StoreTable : std::size_t {
  kDefault,
  kDecisions,
  kEntries,
  kEvents,
  kStates,
  kMissingLists,
  kHeads,
  kTables
};
inline constexpr std::array<const char*, kTables> kTableNames = {
    "default", "decisions", "entries", "events", "states", "missing", "heads"};

inline rocksdb::Slice slice(const SequenceKey& key) { return {key.data(), key.size()}; }
inline rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }
inline Sequence sequence_of(const rocksdb::Slice& key) { return number_of(view(key)); }

struct DatabaseOptions {
  bool read_only = false;
  bool create = false;  // if it does not exist yet
  // At the same time. -1: all of them from the beginning, so that they may be removed meanwhile.
  int open_files = 256;
};

// What a database keeps in memory, each with a bound.
struct DatabaseMemory {
  std::shared_ptr<rocksdb::Cache> cache;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;

  static DatabaseMemory bounded();
};

// Instead of RocksDB's file LOG: writes nothing.
std::shared_ptr<rocksdb::Logger> silence();

// Drops the events whose decision was removed, when RocksDB merges files.
class RemovedEvents final : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "sau.removed_events"; }
  bool Filter(int level, const rocksdb::Slice& id, const rocksdb::Slice& event,
              std::string* changed, bool* is_changed) const override;

  std::atomic<Sequence> last{0};  // the last removed record
};

// An open RocksDB database with our tables in it.
class RocksDatabase {
 public:
  RocksDatabase(const std::filesystem::path& folder, const DatabaseOptions& options,
                const DatabaseMemory& memory, const RemovedEvents& removed);
  RocksDatabase(const RocksDatabase&) = delete;
  RocksDatabase& operator=(const RocksDatabase&) = delete;
  ~RocksDatabase();

  // Whether it could be opened. If not, nothing else may be called.
  const rocksdb::Status& status() const noexcept { return status_; }

  rocksdb::DB& operator*() const noexcept { return *db_; }
  rocksdb::DB* operator->() const noexcept { return db_.get(); }
  rocksdb::ColumnFamilyHandle* table(StoreTable which) const noexcept { return tables_[which]; }
  std::unique_ptr<rocksdb::Iterator> iterator(StoreTable which, bool whole_table = false) const;

 private:
  rocksdb::Status status_;
  std::unique_ptr<rocksdb::Env> env_;  // of its own, if it keeps all files open
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kTables> tables_{};
};

// While this object exists, nobody else can open the database for writing.
class DatabaseLock {
 public:
  explicit DatabaseLock(const std::filesystem::path& folder);
  DatabaseLock(const DatabaseLock&) = delete;
  DatabaseLock& operator=(const DatabaseLock&) = delete;
  ~DatabaseLock();
  const rocksdb::Status& status() const noexcept { return status_; }

 private:
  rocksdb::FileLock* lock_ = nullptr;
  rocksdb::Status status_;
};

// The same sentence, with advice if the system allows too few open files.
std::string with_advice(const std::string& trouble);

// A sentence about a database that could not be opened.
std::string why_not_opened(const std::filesystem::path& folder, const rocksdb::Status& status);

// RocksDB's list of the files that make up the database: it changes whenever they do.
struct ManifestPlace {
  std::string name;
  std::uintmax_t size = 0;
  bool operator==(const ManifestPlace&) const = default;
};
// Throws Error when there is none.
ManifestPlace manifest_place(const std::filesystem::path& folder);

// Whether the folder holds files of a database, even if CURRENT is missing.
bool has_database_files(const std::filesystem::path& folder);

}  // namespace sau::detail
