#include <fmt/format.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include "sau/core/error.hpp"
#include "store/continuity.hpp"
#include "store/log_mark.hpp"
#include "store/rocks_reader.hpp"
#include "store/store_rewrite.hpp"
#include "store/wal_check.hpp"

namespace sau {
namespace {

using namespace detail;

constexpr std::size_t kBatchRoom = 1U << 18, kBatchKept = 1U << 22;
// How often a head is kept for removable().
constexpr Sequence kHeadEvery = 1024;
constexpr Milliseconds kHeadPause = 10'000;
// A running server may change the files while a reader opens them.
constexpr int kViewTries = 100;
constexpr auto kViewPause = std::chrono::milliseconds(20);

class RocksStore final : public RocksReader {
 public:
  RocksStore(const std::filesystem::path& folder, StoreOptions options)
      : RocksReader(folder), options_(std::move(options)), mark_(folder) {
    if (options_.read_only) {
      open_view();
    } else {
      open(options_.verify);
    }
  }

  Status write(const StoreBatch& batch) override {
    if (!is_open()) return closed();
    // Reused, since freeing and allocating so much memory costs more than filling it.
    rocksdb::WriteBatch& bytes = batch_;
    bytes.Clear();
    if (bytes.Data().capacity() > kBatchKept) bytes = rocksdb::WriteBatch(kBatchRoom);
    LogHead next = head();
    next.waiting_from = batch.waiting_from;
    next.time = batch.time;
    next.trusted_time = batch.trusted_time;
    Sequence missing = missing_through();
    std::vector<Sequence> struck;
    // In the order of their numbers, which is the order of the chain.
    auto decision = batch.decisions.begin();
    auto entry = batch.entries.begin();
    while (decision != batch.decisions.end() || entry != batch.entries.end()) {
      const bool is_decision = decision != batch.decisions.end() &&
                               (entry == batch.entries.end() || decision->first < entry->first);
      const Sequence sequence = is_decision ? decision->first : entry->first;
      if (sequence != next.last + 1) {
        return Failure{Failure::Code::kInternal,
                       fmt::format("record {} cannot follow record {}", sequence, next.last)};
      }
      next.last = sequence;
      if (is_decision) {
        add(bytes, kDecisions, sequence, decision->second, next);
        ++next.decisions;
        ++decision;
        continue;
      }
      encode(entry->second, record_);
      add(bytes, kEntries, sequence, record_, next);
      if (entry->second.kind == EntryKind::kMissing) {
        missing = entry->second.missing.back();
        put(bytes, kMissingLists, missing, view(slice(key_of(sequence))));
      }
      if (entry->second.kind == EntryKind::kStruck) struck.push_back(entry->second.decision);
      ++entry;
    }
    for (const auto& [id, event] : batch.events) {
      encode(event, record_);
      bytes.Put(table(kEvents), slice(id), record_);
    }
    for (const auto& [sequence, state] : batch.states) {
      encode(state, record_);
      put(bytes, kStates, sequence, record_);
    }
    if (batch.configuration) bytes.Put(table(kDefault), kConfigurationKey, *batch.configuration);
    if (batch.leaps) bytes.Put(table(kDefault), kLeapsKey, encode(*batch.leaps));
    for (const auto& [key, value] : batch.rows) {
      if (value) {
        bytes.Put(table(kDefault), kRowsKey + key, *value);
      } else {
        bytes.Delete(table(kDefault), kRowsKey + key);
      }
    }
    if (!struck.empty()) strike(bytes, struck);
    const std::string encoded = encode(next);
    bytes.Put(table(kDefault), kHeadKey, encoded);
    // A batch without records only tells the time: the last record has not become younger.
    const bool keep = batch.keep_head || (!batch.empty() && (next.last >= kept_.last + kHeadEvery ||
                                                             next.time >= kept_.time + kHeadPause));
    if (keep) put(bytes, kHeads, next.last, encoded);
    if (batch.keep_head_before && head().last > 0) put(bytes, kHeads, head().last, encode(head()));
    if (Status status = commit(bytes); !status.ok()) return status;
    // Who sees the new head also sees what is struck by then.
    if (!struck.empty()) set_struck(std::move(struck));
    set_head(next);
    if (keep) kept_ = next;
    set_missing_through(missing);
    return mark_.set(next);
  }

  using EventStore::reopen;
  Status reopen(const std::function<void()>& meanwhile) override {
    close();
    try {
      if (meanwhile) meanwhile();
      open(false);
    } catch (const std::exception& error) {
      close();
      return Failure{Failure::Code::kUnavailable, error.what()};
    }
    return Done{};
  }

  Status forget(const LogHead& until) override {
    if (!is_open()) return closed();
    rocksdb::WriteBatch bytes;
    const auto from = key_of(0), to = key_of(until.last + 1);
    for (const StoreTable which : {kDecisions, kEntries, kStates, kMissingLists, kHeads}) {
      bytes.DeleteRange(table(which), slice(from), slice(to));
    }
    bytes.Put(table(kDefault), kBaseKey, encode(until));
    const bool begins_there = until.last > head().last;
    if (begins_there) bytes.Put(table(kDefault), kHeadKey, encode(until));
    if (Status written = commit(bytes); !written.ok()) return written;
    set_base(until);
    if (begins_there) set_head(until);
    return Done{};
  }

 private:
  // Opens the store for writing. Checks everything before it changes anything.
  void open(bool verify) {
    finish_replacing(folder());
    if (std::filesystem::exists(folder() / "CURRENT")) {
      const DatabaseLock lock(folder());
      if (!lock.status().ok()) throw Error(why_not_opened(folder(), lock.status()));
      inspect(verify);
    } else {
      check_new();
      std::filesystem::create_directories(folder());
    }
    open_as({.read_only = false, .create = true, .open_files = options_.open_files});
    mark_.begin(head());
    kept_ = {};
    const auto at = database().iterator(kHeads);
    at->SeekToLast();
    if (!at->Valid()) return;
    if (const auto kept = decode_log_head(view(at->value())); kept.ok()) kept_ = kept.value();
  }

  void inspect(bool verify) {
    const auto torn = find_torn_end(folder());
    open_as({.read_only = true, .create = false, .open_files = options_.open_files});
    std::optional<Acknowledged> mark;
    if (!options_.accept_loss) compare_with_mark(mark = LogMark::read(folder()));
    if (verify) check_all(mark);
    const Sequence last = head().last;
    close();
    if (!torn) return;
    const std::string note = cut_off(*torn, owner_of_torn_end(last));
    if (options_.note) options_.note(note);
  }

  // Whose bytes are cut off when the log ends at `last`.
  std::string owner_of_torn_end(Sequence last) const {
    // compare_with_mark() has found that nothing acknowledged is missing.
    if (!options_.accept_loss) return "a record that was being written, and was not acknowledged,";
    try {
      if (const auto mark = LogMark::read(folder())) {
        return mark->head.last > last ? "a damaged record that had been acknowledged"
                                      : "a record that was not acknowledged";
      }
    } catch (const Error&) {  // the mark is damaged, too
    }
    return "a damaged record, which may have been acknowledged,";
  }

  void check_new() const {
    if (has_database_files(folder())) {
      throw Error((folder() / "CURRENT").string() +
                  ": missing, although the log is there; nothing was changed. Restore the "
                  "folder from a backup");
    }
    if (options_.accept_loss) return;
    if (const auto mark = LogMark::read(folder()); mark && mark->head.last > 0) {
      throw lost(check_acknowledged({}, mark->head));
    }
  }

  // Changes whenever a running server adds or removes files.
  struct Files {
    ManifestPlace manifest;
    std::map<std::filesystem::path, std::uintmax_t> logs;
    bool operator==(const Files&) const = default;
  };
  Files files() const {
    Files found{.manifest = manifest_place(folder()), .logs = {}};
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().extension() == ".log") found.logs[entry.path()] = entry.file_size();
    }
    return found;
  }

  // Opens a view of one moment of the log, even while a server runs. If opening fails while the
  // server changes files, tries again; if it fails and no file has changed, the store is damaged.
  void open_view() {
    if (!std::filesystem::exists(folder() / "CURRENT") && !is_being_replaced(folder())) {
      throw Error(folder().string() + ": there is no event store here");
    }
    std::optional<Acknowledged> mark;
    for (int tries = 1;; ++tries) {
      std::optional<Files> before;
      std::string trouble = folder().string() + ": its files keep changing";
      try {
        before = files();
        if (!options_.accept_loss) mark = LogMark::read(folder());
        find_torn_end(folder());
        // From here on all files are open, so a running server may remove them.
        open_as({.read_only = true, .create = false, .open_files = -1});
        if (manifest_place(folder()) == before->manifest) break;
      } catch (const std::exception& error) {
        trouble = error.what();
        if (unchanged(before)) throw Error(with_advice(trouble));
      }
      close();
      if (tries == kViewTries) throw Error(with_advice(trouble));
      std::this_thread::sleep_for(kViewPause);
    }
    if (!options_.accept_loss) compare_with_mark(mark);
    if (options_.verify) check_all(mark);
  }

  bool unchanged(const std::optional<Files>& before) const {
    try {
      return before && files() == *before;
    } catch (const std::exception&) {
      return false;  // one of them is gone
    }
  }

  void compare_with_mark(const std::optional<Acknowledged>& acknowledged) const {
    if (!acknowledged) {
      throw Error(mark_file(folder()).string() +
                  ": missing: it says what was acknowledged. `sau log accept --help` says how to "
                  "recreate it");
    }
    std::string wrong = check_acknowledged(head(), acknowledged->head);
    if (wrong.empty()) wrong = check_manifest(manifest_place(folder()), acknowledged->manifest);
    if (!wrong.empty()) throw lost(wrong);
  }

  Error lost(const std::string& what) const {
    return Error(folder().string() + ": " + what +
                 "; nothing was changed. Restore the folder from a backup, or accept the loss: see "
                 "`sau log accept --help`");
  }

  void check_all(const std::optional<Acknowledged>& acknowledged) const {
    if (const std::string wrong = check_tables(); !wrong.empty()) throw Error(wrong);
    const LogHead mark = acknowledged ? acknowledged->head : LogHead{};
    const std::string wrong = detail::check_continuity(database(), base(), head(), mark);
    if (!wrong.empty()) {
      throw Error(folder().string() + ": " + wrong +
                  "; nothing was changed. Restore the folder from a backup");
    }
  }

  rocksdb::ColumnFamilyHandle* table(StoreTable which) const noexcept {
    return database().table(which);
  }

  void put(rocksdb::WriteBatch& bytes, StoreTable which, Sequence sequence,
           std::string_view record) {
    bytes.Put(table(which), slice(key_of(sequence)), slice(record));
  }

  // Adds a record of the log, and adds its checksum to the chain.
  void add(rocksdb::WriteBatch& bytes, StoreTable which, Sequence sequence, std::string_view record,
           LogHead& head) {
    std::uint64_t checksum = 0;
    std::memcpy(&checksum, record.data() + record.size() - sizeof checksum, sizeof checksum);
    head.chain = chained(head.chain, checksum);
    put(bytes, which, sequence, record);
  }

  // Adds the decisions that were struck before to `decisions`, and writes them all.
  void strike(rocksdb::WriteBatch& bytes, std::vector<Sequence>& decisions) {
    const std::vector<Sequence> before = this->struck();
    decisions.insert(decisions.end(), before.begin(), before.end());
    std::ranges::sort(decisions);
    decisions.erase(std::unique(decisions.begin(), decisions.end()), decisions.end());
    encode(Entry{.kind = EntryKind::kMissing, .missing = decisions}, record_);
    bytes.Put(table(kDefault), kStruckKey, record_);
  }

  Status commit(rocksdb::WriteBatch& bytes) {
    rocksdb::WriteOptions how;
    how.sync = options_.sync;
    const rocksdb::Status status = database()->Write(how, &bytes);
    if (!status.ok()) return failure(status);
    return Done{};
  }

  StoreOptions options_;
  LogMark mark_;
  LogHead kept_;  // the latest that removable() can find
  rocksdb::WriteBatch batch_{kBatchRoom};
  std::string record_;  // being encoded; reused like batch_
};

}  // namespace

std::unique_ptr<EventStore> open_event_store(const std::filesystem::path& folder,
                                             const StoreOptions& options) {
  return std::make_unique<RocksStore>(folder, options);
}

}  // namespace sau
