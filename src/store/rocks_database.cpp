#include "store/rocks_database.hpp"

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "store/block_memory.hpp"
#include "store/kept_files.hpp"

namespace sau::detail {
namespace {

constexpr std::size_t kMegabyte = 1U << 20;
constexpr std::size_t kCache = 64 * kMegabyte;
constexpr std::size_t kWriteBuffers = 64 * kMegabyte;  // when this much waits, it is written
constexpr int kCacheParts = 2;  // 2^2 shards, each with a lock: few threads read

// Replaces RocksDB's file LOG. Errors come back as a Status anyway, and Debian's library, which is
// built with assertions, aborts the program when that file cannot be written.
class Silence final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options options_for(const DatabaseOptions& how, const DatabaseMemory& memory) {
  rocksdb::Options options;
  options.create_if_missing = how.create;
  options.create_missing_column_families = how.create;
  // find_torn_end() has checked the log before. A reader stops at a record that is torn, or that a
  // running server has half written; for a writer such a record has been cut off.
  options.wal_recovery_mode = how.read_only ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                            : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  // All tables are flushed together, so that they are of the same moment whatever happens to the
  // files.
  options.atomic_flush = !how.read_only;
  options.write_buffer_manager = memory.write_buffers;
  options.max_total_wal_size = 128 * kMegabyte;
  options.max_open_files = how.open_files;
  options.max_background_jobs = 2;
  options.info_log = silence();
  options.bytes_per_sync = kMegabyte;
  options.compression = rocksdb::kLZ4Compression;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = memory.cache;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  // Indexes and filters are split. One for a whole table grows with the table until no shard of the
  // cache has room for it, and would then be read again for every event.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.block_size = 16'384;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::ColumnFamilyOptions table_options(StoreTable which, const rocksdb::Options& common,
                                           const RemovedEvents& removed) {
  rocksdb::ColumnFamilyOptions options(common);
  if (which == kEvents || which == kStates) {
    // Every rank looks up an event that does not exist yet, every first reward such a state.
    options.memtable_whole_key_filtering = true;
    options.memtable_prefix_bloom_size_ratio = 0.002;
  }
  if (which == kEvents) options.compaction_filter = &removed;
  return options;
}

}  // namespace

DatabaseMemory DatabaseMemory::bounded() {
  DatabaseMemory memory;
  rocksdb::LRUCacheOptions cache;
  cache.capacity = kCache;
  cache.num_shard_bits = kCacheParts;
  cache.memory_allocator = std::make_shared<BlockMemory>();
  memory.cache = rocksdb::NewLRUCache(cache);
  memory.write_buffers = std::make_shared<rocksdb::WriteBufferManager>(kWriteBuffers);
  return memory;
}

std::shared_ptr<rocksdb::Logger> silence() { return std::make_shared<Silence>(); }

bool RemovedEvents::Filter(int, const rocksdb::Slice&, const rocksdb::Slice& event, std::string*,
                           bool*) const {
  const auto decoded = decode_indexed_event(view(event));
  return decoded.ok() && decoded.value().decision <= last.load(std::memory_order_relaxed);
}

RocksDatabase::RocksDatabase(const std::filesystem::path& folder, const DatabaseOptions& how,
                             const DatabaseMemory& memory, const RemovedEvents& removed) {
  rocksdb::Options options = options_for(how, memory);
  if (how.open_files < 0) {
    env_ = rocksdb::NewCompositeEnv(keeping_tables_open());
    options.env = env_.get();
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.reserve(kTables);
  for (std::size_t i = 0; i < kTables; ++i) {
    families.emplace_back(kTableNames[i],
                          table_options(static_cast<StoreTable>(i), options, removed));
  }
  rocksdb::DB* db = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  status_ = how.read_only
                ? rocksdb::DB::OpenForReadOnly(options, folder.string(), families, &handles, &db)
                : rocksdb::DB::Open(options, folder.string(), families, &handles, &db);
  if (!status_.ok()) return;
  db_.reset(db);
  std::ranges::copy(handles, tables_.begin());
}

RocksDatabase::~RocksDatabase() {
  if (!db_) return;
  for (rocksdb::ColumnFamilyHandle* handle : tables_) db_->DestroyColumnFamilyHandle(handle);
  db_->Close();
}

std::unique_ptr<rocksdb::Iterator> RocksDatabase::iterator(StoreTable which,
                                                           bool whole_table) const {
  rocksdb::ReadOptions options;
  if (whole_table) {
    options.fill_cache = false;
    options.readahead_size = 2 * kMegabyte;
  }
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, table(which)));
}

DatabaseLock::DatabaseLock(const std::filesystem::path& folder)
    : status_(rocksdb::Env::Default()->LockFile((folder / "LOCK").string(), &lock_)) {}

DatabaseLock::~DatabaseLock() {
  if (lock_ != nullptr) rocksdb::Env::Default()->UnlockFile(lock_);
}

std::string with_advice(const std::string& trouble) {
  if (trouble.find("Too many open files") == std::string::npos) return trouble;
  return trouble + "; raise the limit of open files (ulimit -n)";
}

std::string why_not_opened(const std::filesystem::path& folder, const rocksdb::Status& status) {
  const std::string text = status.ToString();
  const bool held = text.find("Resource temporarily unavailable") != std::string::npos ||
                    text.find("lock hold by current process") != std::string::npos;
  if (status.IsIOError() && text.find("/LOCK") != std::string::npos) {
    if (held) return folder.string() + ": in use by another process, which holds its lock";
    return with_advice(folder.string() +
                       ": cannot write to this folder: " + text.substr(text.rfind(": ") + 2));
  }
  return with_advice(folder.string() + ": " + text);
}

ManifestPlace manifest_place(const std::filesystem::path& folder) {
  ManifestPlace place{.name = read_file(folder / "CURRENT")};
  while (!place.name.empty() && place.name.back() == '\n') place.name.pop_back();
  std::error_code error;
  place.size = std::filesystem::file_size(folder / place.name, error);
  if (error || !place.name.starts_with("MANIFEST-")) {
    throw Error((folder / "CURRENT").string() + ": names no existing manifest: '" +
                place.name.substr(0, 64) + "'");
  }
  return place;
}

bool has_database_files(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return false;
  return std::ranges::any_of(std::filesystem::directory_iterator(folder), [](const auto& entry) {
    const auto extension = entry.path().extension();
    return extension == ".sst" || extension == ".log" ||
           entry.path().filename().string().starts_with("MANIFEST-");
  });
}

}  // namespace sau::detail
