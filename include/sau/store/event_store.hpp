#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/store/log_head.hpp"
#include "sau/store/record.hpp"

namespace sau {

// Written atomically: all of it or nothing.
struct StoreBatch {
  std::vector<std::pair<Sequence, std::string>> decisions;        // encoded
  std::vector<std::pair<std::string_view, IndexedEvent>> events;  // one per decision, by id
  std::vector<std::pair<Sequence, Entry>> entries;
  std::vector<std::pair<Sequence, EventState>> states;  // by decision
  std::optional<std::string> configuration;             // JSON
  std::optional<std::vector<ClockLeap>> leaps;          // all that concern waiting events
  // What is kept beside the log, by key; nothing: the row is removed.
  std::vector<std::pair<std::string, std::optional<std::string>>> rows;
  // For the log's head after this batch.
  Sequence waiting_from = 1;
  Milliseconds time = 0, trusted_time = 0;
  bool keep_head = false;         // for removable(), even if one was kept shortly before
  bool keep_head_before = false;  // the same for the head before this batch

  bool empty() const noexcept { return decisions.empty() && entries.empty(); }
};

// A decision without a final reward.
struct WaitingDecision {
  Sequence decision = 0;
  Milliseconds time = 0;
  bool plain = true;  // active from the beginning, and no reward came yet
};

// An event as events() reads it.
struct LoggedEvent {
  Sequence sequence = 0;
  std::string_view decision;  // encoded
  EventState state = {};
  bool changed = false;  // something happened to it besides an expiry list: it has a stored state
};

// A digest of ids and their decisions, added in any order. Equal only if all of them are equal.
struct EventDigest {
  std::uint64_t count = 0, sum = 0;

  void add(std::string_view id, Sequence decision) noexcept;
  bool operator==(const EventDigest&) const = default;
};

// What an open store has in memory, in bytes.
struct StoreMemory {
  std::uint64_t write_buffers = 0;  // records that are not in tables yet
  std::uint64_t cache = 0;          // parts of tables that were read
};

// The log and its indexes. write() and forget() are called by one thread at a time; the others are
// thread-safe. When a function that reads fails, the store is damaged; the Failure says where.
class EventStore {
 public:
  virtual ~EventStore() = default;

  // On success the batch is on disk. After a failure the store takes nothing until it is reopened,
  // and the batch may or may not be in it. Sequence numbers must continue without a gap.
  virtual Status write(const StoreBatch& batch) = 0;
  // Closes and opens again, after a failure, or to let `meanwhile` replace its files; what that
  // throws is returned as a failure. Nothing may be reading.
  virtual Status reopen(const std::function<void()>& meanwhile) = 0;
  Status reopen() { return reopen({}); }

  // All functions below skip events whose decision was removed.
  virtual Result<std::optional<EventState>> event(std::string_view id) const = 0;
  virtual Result<std::optional<Decision>> decision(Sequence sequence) const = 0;
  virtual Result<std::optional<std::string>> event_id(Sequence decision) const = 0;
  // Entries or decisions from `first` on, in order, until `visit` returns false.
  virtual Status entries(Sequence first,
                         const std::function<bool(Sequence, Entry)>& visit) const = 0;
  virtual Status decisions(Sequence first,
                           const std::function<bool(Sequence, Decision)>& visit) const = 0;
  // Visits those of the decisions `which` that exist, until `visit` returns false. `which` must be
  // sorted. Reads only what is learned from.
  virtual Status lessons_of(
      std::span<const Sequence> which,
      const std::function<bool(Sequence, const DecisionLesson&)>& visit) const = 0;
  // Every event from `first` to `last`, in the order of the decisions, until `visit` returns false.
  virtual Status events(Sequence first, Sequence last,
                        const std::function<bool(const LoggedEvent&)>& visit) const = 0;
  // Decisions without a final reward, in order. There may be millions, so they are not collected.
  virtual Status waiting(const std::function<void(const WaitingDecision&)>& visit) const = 0;
  virtual Result<std::optional<std::string>> configuration() const = 0;
  // As they were written last.
  virtual Result<std::vector<ClockLeap>> leaps() const = 0;
  // The rows beside the log whose keys begin with `prefix`, in the order of the keys, from `first`
  // on, until `visit` returns false.
  virtual Status rows(
      std::string_view prefix, std::string_view first,
      const std::function<bool(std::string_view key, std::string_view value)>& visit) const = 0;
  // Whether an entry kStruck forbids learning from this decision.
  virtual bool is_struck(Sequence decision) const = 0;

  virtual LogHead head() const = 0;
  // The head at the end of the removed part; all zero when nothing was removed.
  virtual LogHead base() const = 0;

  // Up to where the log may be removed: every record up to there is older than `older_than` or not
  // after record `ordered`, and no decision up to there was still waiting for its reward at record
  // `learned`.
  virtual Result<std::optional<LogHead>> removable(Sequence learned, Milliseconds older_than,
                                                   Sequence ordered = 0) const = 0;
  // Removes everything up to a head that removable() returned. Cheap, however much it removes. (If
  // the log ends before that head, it continues right after it.)
  virtual Status forget(const LogHead& until) = 0;

  // Both return a sentence that says what is wrong, or nothing.
  // Reads every file that RocksDB has written and checks its checksums.
  virtual std::string check_tables() const = 0;
  // Reads the whole log and checks every record's checksum, that no number is missing, and the
  // chain of checksums.
  virtual std::string check_continuity() const = 0;
  // The digest of the index of events, to compare with a digest of the decisions.
  virtual Result<EventDigest> event_digest() const = 0;

  virtual std::uint64_t bytes() const = 0;
  // Cheap: takes no lock that writing takes.
  virtual StoreMemory memory() const = 0;
};

struct StoreOptions {
  bool read_only = false;
  bool verify = true;        // read the whole log and every checksum before it is used
  bool accept_loss = false;  // take the log as it is, even if more was acknowledged
  bool sync = true;          // false: for tests, and for logs that are copied as a whole
  int open_files = 256;      // RocksDB needs at least 20. A read-only store opens all its files
  // Called with one sentence for each repair made while opening.
  std::function<void(const std::string&)> note = {};
};

// A store on RocksDB. Throws Error, which names file and place, when the folder cannot be used,
// when anything is damaged but a last record that was never acknowledged, or when acknowledged
// records are missing. All of this is checked before anything in the folder is changed. A read-only
// store is a view of one moment, even while another process writes.
std::unique_ptr<EventStore> open_event_store(const std::filesystem::path& folder,
                                             const StoreOptions& options);

// What was acknowledged last, according to the file beside the store; nothing when there is no such
// file. Throws Error when it cannot be read.
std::optional<LogHead> acknowledged_head(const std::filesystem::path& folder);

// Copies a store to a new folder, as of one moment, even while another process writes to it.
// On failure throws Error and leaves nothing behind.
void copy_event_store(const std::filesystem::path& from, const std::filesystem::path& to);

struct CarryOver {
  // Called before anything is written, with the first and the last record of the old log (1 and 0
  // if it is empty). May throw Error to refuse it.
  std::function<void(Sequence first, Sequence last)> check = {};
  // Called with one sentence if the end of the old log is torn.
  std::function<void(const std::string&)> note = {};
  int open_files = 128;  // of each store at the same time; RocksDB needs at least 20
};

// Writes the log of a store of format version 2 to a new store, and reads it back. The old one is
// not changed. Throws Error, and leaves nothing behind, on failure, and when a file of the old
// store shows that records are missing at the end of its log.
void carry_over_event_store(const std::filesystem::path& old_folder,
                            const std::filesystem::path& to, const CarryOver& how = {});

}  // namespace sau
