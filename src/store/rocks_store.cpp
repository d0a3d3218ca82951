#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/store/event_store.hpp"
#include "store/bytes.hpp"
#include "store/wal_check.hpp"

namespace sau {
namespace {

using rocksdb::Slice;

// One column family each.
enum Table : std::size_t { kDefault, kDecisions, kEntries, kEvents, kWaiting, kTables };
constexpr std::array<const char*, kTables> kTableNames = {"default", "decisions", "entries",
                                                          "events", "waiting"};
constexpr const char* kConfigurationKey = "configuration";
constexpr std::size_t kMegabyte = 1U << 20;
constexpr int kCacheParts = 2;  // 2^2, each with a lock: few threads read
constexpr std::size_t kBatchRoom = kMegabyte / 4, kBatchKept = 4 * kMegabyte;

// Big-endian, so that the order of the bytes is that of the numbers.
std::array<char, sizeof(Sequence)> key_of(Sequence sequence) {
  std::array<char, sizeof(Sequence)> key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<char>(sequence >> (8 * (key.size() - 1 - i)));
  }
  return key;
}
Slice slice(const std::array<char, sizeof(Sequence)>& key) { return {key.data(), key.size()}; }

Sequence sequence_of(const Slice& key) {
  Sequence sequence = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    sequence = sequence << 8 | static_cast<unsigned char>(key[i]);
  }
  return sequence;
}

Result<std::vector<Waiting>> decode_waiting(std::string_view bytes) {
  std::vector<Waiting> all(bytes.size() / sizeof(Waiting));
  if (all.size() * sizeof(Waiting) != bytes.size()) {
    return Failure{Failure::Code::kInternal, "it is not a list of decisions and times"};
  }
  detail::ByteReader reader(bytes);
  for (Waiting& each : all) each = reader.take<Waiting>();
  return all;
}

// Instead of a file LOG: what has to be said is in a Status, and Debian's library, which is built
// with its assertions, ends the program when that file cannot be written.
class Silence final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options database_options(const std::shared_ptr<rocksdb::Cache>& cache, bool read_only) {
  rocksdb::Options options;
  options.create_if_missing = !read_only;
  options.create_missing_column_families = !read_only;
  // The log was looked through by then: what is damaged now was damaged by somebody else. A reader
  // beside a running server may see a record that is half written.
  options.wal_recovery_mode = read_only ? rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords
                                        : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  options.db_write_buffer_size = 64 * kMegabyte;
  options.max_total_wal_size = 128 * kMegabyte;
  options.max_open_files = 256;
  options.max_background_jobs = 2;
  options.info_log = std::make_shared<Silence>();
  options.bytes_per_sync = kMegabyte;
  options.compression = rocksdb::kLZ4Compression;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  // In parts: that of a whole table grows with it, up to what no part of the cache has room for,
  // and would then be read again for every event.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.block_size = 16'384;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::ColumnFamilyOptions table_options(Table which, const rocksdb::Options& common) {
  rocksdb::ColumnFamilyOptions options(common);
  if (which == kEvents) {
    // Every rank asks for an event that is not there yet.
    options.memtable_whole_key_filtering = true;
    options.memtable_prefix_bloom_size_ratio = 0.002;
  }
  return options;
}

class RocksStore final : public EventStore {
 public:
  RocksStore(std::filesystem::path folder, StoreOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {
    open();
  }
  RocksStore(const RocksStore&) = delete;
  RocksStore& operator=(const RocksStore&) = delete;
  ~RocksStore() override { close(); }

  Status write(const StoreBatch& batch) override {
    if (!db_) return closed();
    // Kept, since giving so much memory back and taking it again costs more than filling it.
    rocksdb::WriteBatch& bytes = batch_;
    bytes.Clear();
    if (bytes.Data().capacity() > kBatchKept) bytes = rocksdb::WriteBatch(kBatchRoom);
    for (const auto& [sequence, record] : batch.decisions) put(bytes, kDecisions, sequence, record);
    for (const auto& [sequence, entry] : batch.entries) {
      encode(entry, record_);
      put(bytes, kEntries, sequence, record_);
    }
    for (const auto& [id, state] : batch.events) {
      encode(state, record_);
      bytes.Put(table(kEvents), Slice(id.data(), id.size()), record_);
    }
    put_waiting(bytes, batch);
    if (batch.configuration) bytes.Put(table(kDefault), kConfigurationKey, *batch.configuration);
    return commit(bytes);
  }

  Status reopen() override {
    close();
    try {
      open();
    } catch (const Error& error) {
      return Failure{Failure::Code::kUnavailable, error.what()};
    }
    return Done{};
  }

  Result<std::optional<EventState>> event(std::string_view id) const override {
    return look_up<EventState>(kEvents, id, decode_event_state);
  }

  Result<std::optional<Decision>> decision(Sequence sequence) const override {
    const auto key = key_of(sequence);
    return look_up<Decision>(kDecisions, {key.data(), key.size()}, decode_decision);
  }

  Status entries(Sequence first, const std::function<bool(Sequence, Entry)>& visit) const override {
    return scan<Entry>(kEntries, first, decode_entry, visit);
  }

  Status decisions(Sequence first,
                   const std::function<bool(Sequence, Decision)>& visit) const override {
    return scan<Decision>(kDecisions, first, decode_decision, visit);
  }

  Result<std::vector<Waiting>> waiting() const override {
    std::vector<Waiting> found;
    Sequence first = 0;  // of all that may have settled one of them
    Status status = scan<std::vector<Waiting>>(
        kWaiting, 0, decode_waiting, [&](Sequence key, const std::vector<Waiting>& listed) {
          if (first == 0) first = key;
          found.insert(found.end(), listed.begin(), listed.end());
          return true;
        });
    std::vector<Sequence> settled;
    if (status.ok() && first > 0) {
      status = entries(first, [&settled](Sequence, const Entry& entry) {
        if (entry.settles()) settled.push_back(entry.decision);
        return true;
      });
    }
    if (!status.ok()) return status.failure();
    // What settled the oldest may be forgotten, with them.
    const Sequence oldest = first_decision();
    std::ranges::sort(settled);
    std::erase_if(found, [&](const Waiting& each) {
      return each.decision < oldest || std::ranges::binary_search(settled, each.decision);
    });
    return found;
  }

  Result<std::optional<std::string>> configuration() const override {
    return look_up<std::string>(
        kDefault, kConfigurationKey,
        [](std::string_view bytes) -> Result<std::string> { return std::string(bytes); });
  }

  Result<Sequence> last() const override {
    if (!db_) return closed();
    Sequence last = 0;
    for (const Table which : {kDecisions, kEntries}) {
      const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, table(which)));
      at->SeekToLast();
      if (!at->status().ok()) return failure(at->status());
      if (at->Valid()) last = std::max(last, sequence_of(at->key()));
    }
    return last;
  }

  Status forget(Sequence first) override {
    if (!db_) return closed();
    // Events by ranges of some thousands, so that no batch is huge.
    constexpr std::size_t kAtOnce = 4096;
    for (bool more = true; more;) {
      more = false;
      rocksdb::WriteBatch bytes;
      Sequence end = first;
      std::size_t count = 0;
      Status status = decisions(0, [&](Sequence sequence, const Decision& decision) {
        if (sequence >= first) return false;
        if (count++ == kAtOnce) {
          more = true;
          end = sequence;
          return false;
        }
        bytes.Delete(table(kEvents), decision.event_id);
        return true;
      });
      if (!status.ok()) return status;
      const auto from = key_of(0), to = key_of(end);
      bytes.DeleteRange(table(kDecisions), slice(from), slice(to));
      bytes.DeleteRange(table(kEntries), slice(from), slice(to));
      if (Status written = commit(bytes); !written.ok()) return written;
    }
    return Done{};
  }

  std::uint64_t bytes() const override {
    if (!db_) return 0;
    std::uint64_t tables = 0, memory = 0;
    db_->GetAggregatedIntProperty(rocksdb::DB::Properties::kTotalSstFilesSize, &tables);
    db_->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &memory);
    return tables + memory;
  }

 private:
  void open() {
    if (!options_.read_only) {
      std::filesystem::create_directories(folder_);
      const std::string note = detail::repair_wal(folder_);
      if (!note.empty() && options_.note) options_.note(note);
    } else if (std::filesystem::exists(folder_ / "CURRENT")) {
      detail::check_wal_files(folder_);
    } else {
      throw Error(folder_.string() + ": there is no event store here");
    }
    if (!cache_) cache_ = rocksdb::NewLRUCache(64 * kMegabyte, kCacheParts);
    const rocksdb::Options options = database_options(cache_, options_.read_only);
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(kTables);
    for (std::size_t i = 0; i < kTables; ++i) {
      families.emplace_back(kTableNames[i], table_options(static_cast<Table>(i), options));
    }
    rocksdb::DB* db = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const rocksdb::Status status =
        options_.read_only
            ? rocksdb::DB::OpenForReadOnly(options, folder_.string(), families, &handles, &db)
            : rocksdb::DB::Open(options, folder_.string(), families, &handles, &db);
    if (!status.ok()) throw Error(refused(status));
    db_.reset(db);
    std::ranges::copy(handles, tables_.begin());
    if (options_.verify) {
      if (const rocksdb::Status checked = db_->VerifyChecksum(); !checked.ok()) {
        close();
        throw Error(describe(checked));
      }
    }
  }

  void close() noexcept {
    if (!db_) return;
    for (rocksdb::ColumnFamilyHandle*& handle : tables_) {
      db_->DestroyColumnFamilyHandle(handle);
      handle = nullptr;
    }
    db_->Close();
    db_.reset();
  }

  rocksdb::ColumnFamilyHandle* table(Table which) const noexcept { return tables_[which]; }

  void put(rocksdb::WriteBatch& bytes, Table which, Sequence sequence, std::string_view record) {
    bytes.Put(table(which), slice(key_of(sequence)), Slice(record.data(), record.size()));
  }

  // One record a batch, under the batch's first number. One for each decision, and its removal,
  // would cost as much as the decision itself; which of them wait no more is seen from entries.
  void put_waiting(rocksdb::WriteBatch& bytes, const StoreBatch& batch) {
    if (batch.waiting.empty() && !batch.all_waiting) return;
    Sequence first =
        batch.decisions.empty() ? batch.entries.front().first : batch.decisions.front().first;
    if (!batch.entries.empty()) first = std::min(first, batch.entries.front().first);
    if (batch.all_waiting) {
      const auto from = key_of(0), to = key_of(first);
      bytes.DeleteRange(table(kWaiting), slice(from), slice(to));
    }
    if (batch.waiting.empty()) return;
    record_.clear();
    detail::ByteWriter writer(record_);
    for (const Waiting& each : batch.waiting) writer.put(each);
    put(bytes, kWaiting, first, record_);
  }

  // 0 when there is none.
  Sequence first_decision() const {
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, table(kDecisions)));
    at->SeekToFirst();
    return at->Valid() ? sequence_of(at->key()) : 0;
  }

  Status commit(rocksdb::WriteBatch& bytes) {
    rocksdb::WriteOptions how;
    how.sync = true;
    const rocksdb::Status status = db_->Write(how, &bytes);
    if (!status.ok()) return failure(status);
    return Done{};
  }

  template <class T, class Decode>
  Result<std::optional<T>> look_up(Table which, std::string_view key, Decode decode) const {
    if (!db_) return closed();
    rocksdb::PinnableSlice found;
    const rocksdb::Status status =
        db_->Get({}, table(which), Slice(key.data(), key.size()), &found);
    if (status.IsNotFound()) return std::optional<T>();
    if (!status.ok()) return failure(status);
    auto decoded = decode({found.data(), found.size()});
    if (!decoded.ok()) return damaged(which, key, decoded.failure());
    return std::optional<T>(std::move(decoded).value());
  }

  template <class T, class Decode, class Visit>
  Status scan(Table which, Sequence first, Decode decode, const Visit& visit) const {
    if (!db_) return closed();
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, table(which)));
    for (at->Seek(slice(key_of(first))); at->Valid(); at->Next()) {
      auto decoded = decode({at->value().data(), at->value().size()});
      if (!decoded.ok()) {
        return damaged(which, {at->key().data(), at->key().size()}, decoded.failure());
      }
      if (!visit(sequence_of(at->key()), std::move(decoded).value())) break;
    }
    if (!at->status().ok()) return failure(at->status());
    return Done{};
  }

  Failure damaged(Table which, std::string_view key, const Failure& what) const {
    const std::string name =
        which == kEvents ? "event '" + std::string(key) + "'"
                         : fmt::format("record {}", sequence_of(Slice(key.data(), key.size())));
    return {Failure::Code::kInternal, fmt::format("{}: {} of the table '{}': {}", folder_.string(),
                                                  name, kTableNames[which], what.message)};
  }

  // After a reopen() that failed.
  Failure closed() const {
    return {Failure::Code::kUnavailable, folder_.string() + ": the store is not open"};
  }

  std::string refused(const rocksdb::Status& status) const {
    if (status.IsIOError() && status.ToString().find("/LOCK") != std::string::npos) {
      return folder_.string() + ": in use by another process, which holds its lock";
    }
    return describe(status);
  }
  std::string describe(const rocksdb::Status& status) const {
    return folder_.string() + ": " + status.ToString();
  }
  Failure failure(const rocksdb::Status& status) const {
    const auto code =
        status.IsCorruption() ? Failure::Code::kInternal : Failure::Code::kUnavailable;
    return {code, describe(status)};
  }

  std::filesystem::path folder_;
  StoreOptions options_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::WriteBatch batch_{kBatchRoom};
  std::string record_;  // being written, likewise
  std::array<rocksdb::ColumnFamilyHandle*, kTables> tables_{};
};

}  // namespace

std::unique_ptr<EventStore> open_event_store(const std::filesystem::path& folder,
                                             const StoreOptions& options) {
  return std::make_unique<RocksStore>(folder, options);
}

}  // namespace sau
