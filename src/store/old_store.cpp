// Stores of format version 2: events were stored by id, together with their state, and a table
// listed the events that wait for a reward.
#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/store/event_store.hpp"
#include "store/log_mark.hpp"
#include "store/rocks_database.hpp"
#include "store/wal_check.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

enum OldTable : std::size_t {
  kOldDefault,
  kOldDecisions,
  kOldEntries,
  kOldEvents,
  kOldWaiting,
  kOldTables
};
constexpr std::array<const char*, kOldTables> kOldNames = {"default", "decisions", "entries",
                                                           "events", "waiting"};
constexpr std::size_t kCarriedAtOnce = 1000;

class OldStore {
 public:
  OldStore(fs::path folder, int open_files) : folder_(std::move(folder)), lock_(folder_) {
    if (!lock_.status().ok()) throw Error(detail::why_not_opened(folder_, lock_.status()));
    torn_ = detail::find_torn_end(folder_);
    rocksdb::Options options;
    options.info_log = detail::silence();
    options.max_open_files = open_files;
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(std::size(kOldNames));
    for (const char* name : kOldNames) families.emplace_back(name, options);
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    check(rocksdb::DB::OpenForReadOnly(options, folder_.string(), families, &handles, &db));
    db_.reset(db);
    std::ranges::copy(handles, tables_.begin());
    check(db_->VerifyChecksum());
  }
  OldStore(const OldStore&) = delete;
  OldStore& operator=(const OldStore&) = delete;
  ~OldStore() {
    for (rocksdb::ColumnFamilyHandle* handle : tables_) {
      if (handle != nullptr) db_->DestroyColumnFamilyHandle(handle);
    }
  }

  std::unique_ptr<rocksdb::Iterator> first(OldTable which) const {
    std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, tables_[which]));
    at->SeekToFirst();
    return at;
  }
  std::optional<std::string> value(OldTable which, const std::string& key) const {
    std::string found;
    const rocksdb::Status status = db_->Get({}, tables_[which], key, &found);
    if (status.IsNotFound()) return std::nullopt;
    check(status);
    return found;
  }
  void check(const rocksdb::Status& status) const {
    if (!status.ok()) throw Error(folder_.string() + ": " + status.ToString());
  }

  // Where a crash has torn the end of the log.
  const std::optional<detail::TornEnd>& torn() const noexcept { return torn_; }
  // The first and the last record; 1 and 0 when there is none.
  std::pair<Sequence, Sequence> range() const {
    std::optional<Sequence> first, last;
    for (const OldTable which : {kOldDecisions, kOldEntries}) {
      const auto at = this->first(which);
      if (!at->Valid()) {
        check(at->status());
        continue;
      }
      const Sequence begin = detail::sequence_of(at->key());
      at->SeekToLast();
      check(at->status());
      first = std::min(first.value_or(begin), begin);
      last = std::max(last.value_or(0), detail::sequence_of(at->key()));
    }
    return {first.value_or(1), last.value_or(0)};
  }
  // A store of version 2 does not say how far its log went. Throws Error when a later record shows
  // up elsewhere: in an event, or in a table that the manifest does not list any more. (A crash may
  // leave such a table too, but then all its records are in the log.)
  void check_end(Sequence last) const {
    for (auto at = first(kOldEvents); at->Valid(); at->Next()) {
      const EventState state =
          good(decode_event_state(detail::view(at->value())), folder_.native());
      const Sequence known = std::max(state.decision, state.completed_by);
      if (known > last) {
        throw missing(fmt::format("the event '{}'", at->key().ToString()), known, last);
      }
    }
    for (const fs::path& file : unlisted_tables()) {
      if (const Sequence known = last_in(file); known > last) {
        throw missing(fmt::format("the table {}, which the manifest does not list,",
                                  file.filename().string()),
                      known, last);
      }
    }
  }

 private:
  Error missing(const std::string& where, Sequence known, Sequence last) const {
    return Error(
        fmt::format("{}: the log ends at record {}, but {} knows of record {}: part of the log is "
                    "missing; nothing was changed. Restore the folder from a backup",
                    folder_.string(), last, where, known));
  }
  std::vector<fs::path> unlisted_tables() const {
    std::vector<rocksdb::LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    std::set<fs::path> listed;
    for (const auto& file : live) listed.insert(fs::path(file.relative_filename));
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const fs::path& file = entry.path();
      if (file.extension() == ".sst" && !listed.contains(file.filename())) found.push_back(file);
    }
    return found;
  }
  // The last record in a table; 0 if it has none, or if it was not written completely.
  static Sequence last_in(const fs::path& table) {
    rocksdb::SstFileReader reader({});
    if (!reader.Open(table.string()).ok()) return 0;
    const std::string family = reader.GetTableProperties()->column_family_name;
    if (family != kOldNames[kOldDecisions] && family != kOldNames[kOldEntries]) return 0;
    const std::unique_ptr<rocksdb::Iterator> at(reader.NewIterator({}));
    at->SeekToLast();
    return at->Valid() ? detail::sequence_of(at->key()) : 0;
  }

  fs::path folder_;
  detail::DatabaseLock lock_;
  std::optional<detail::TornEnd> torn_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kOldTables> tables_{};
};

// A batch in the making.
struct Carried {
  StoreBatch batch;
  std::deque<std::string> ids;  // the batch refers to them

  void add_decision(const fs::path& folder, const OldStore& old, Sequence sequence,
                    std::string_view bytes) {
    const DecisionHead head = good(decode_decision_head(bytes), folder.native());
    const auto stored = old.value(kOldEvents, head.event_id);
    if (!stored) throw Error(folder.string() + ": the event '" + head.event_id + "' is missing");
    const EventState state = good(decode_event_state(*stored), folder.native());
    const IndexedEvent event{sequence, head.time, head.fingerprint, head.deferred};
    batch.decisions.emplace_back(sequence, bytes);
    batch.events.emplace_back(ids.emplace_back(head.event_id), event);
    if (state != EventState::of(event)) batch.states.emplace_back(sequence, state);
    batch.time = std::max(batch.time, head.time);
  }
  void add_entry(const fs::path& folder, Sequence sequence, std::string_view bytes) {
    Entry entry = good(decode_entry(bytes), folder.native());
    batch.time = std::max(batch.time, entry.time);
    batch.entries.emplace_back(sequence, std::move(entry));
  }
  bool full() const { return batch.decisions.size() + batch.entries.size() >= kCarriedAtOnce; }
};

void carry_over(const fs::path& folder, const OldStore& old, EventStore& to) {
  const auto decisions = old.first(kOldDecisions), entries = old.first(kOldEntries);
  auto carried = std::make_unique<Carried>();
  carried->batch.configuration = old.value(kOldDefault, "configuration");
  const auto write = [&] {
    StoreBatch& batch = carried->batch;
    batch.trusted_time = batch.time;
    good(to.write(batch), folder.native());
    const Milliseconds time = batch.time;
    carried = std::make_unique<Carried>();
    carried->batch.time = time;
  };
  bool begun = false;
  while (decisions->Valid() || entries->Valid()) {
    const bool is_decision =
        decisions->Valid() && (!entries->Valid() || decisions->key().compare(entries->key()) < 0);
    rocksdb::Iterator& next = is_decision ? *decisions : *entries;
    const Sequence sequence = detail::sequence_of(next.key());
    // The beginning of the log may have been removed.
    if (!std::exchange(begun, true) && sequence > 1) {
      good(to.forget({.last = sequence - 1, .decisions = 0}), folder.native());
    }
    if (is_decision) {
      carried->add_decision(folder, old, sequence, detail::view(next.value()));
    } else {
      carried->add_entry(folder, sequence, detail::view(next.value()));
    }
    next.Next();
    if (carried->full()) write();
  }
  old.check(decisions->status());
  old.check(entries->status());
  write();
}

}  // namespace

void carry_over_event_store(const fs::path& old_folder, const fs::path& to, const CarryOver& how) {
  try {
    const OldStore old(old_folder, how.open_files);
    const auto [first, last] = old.range();
    if (how.check) how.check(first, last);
    old.check_end(last);
    if (const auto& torn = old.torn(); torn && how.note) {
      how.note(fmt::format(
          "{}: the log ends at record {}; {} bytes of a record that was not written completely, "
          "from offset {} on, are left out",
          torn->file.string(), last, torn->lost, torn->whole));
    }
    carry_over(old_folder, old,
               *open_event_store(to, {.sync = false, .open_files = how.open_files}));
    // Reopened to check every record and to put everything on disk.
    const auto store = open_event_store(to, {.open_files = how.open_files});
    StoreBatch end;
    end.time = end.trusted_time = store->head().time;
    end.keep_head = true;
    good(store->write(end), to.native());
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(to, ignored);
    fs::remove(detail::mark_file(to), ignored);
    throw;
  }
}

}  // namespace sau
