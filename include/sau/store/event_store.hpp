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

// What is to be written as one: all of it or nothing.
struct StoreBatch {
  std::vector<std::pair<Sequence, std::string>> decisions;        // encoded
  std::vector<std::pair<std::string_view, IndexedEvent>> events;  // of these decisions, by id
  std::vector<std::pair<Sequence, Entry>> entries;
  std::vector<std::pair<Sequence, EventState>> states;  // by decision
  std::optional<std::string> configuration;             // JSON
  // For the log's head after this batch.
  Sequence waiting_from = 1;
  Milliseconds time = 0, trusted_time = 0;
  bool keep_head = false;  // for removable(), even if the last one that was kept is near

  bool empty() const noexcept { return decisions.empty() && entries.empty(); }
};

// A decision without a final reward.
struct WaitingDecision {
  Sequence decision = 0;
  Milliseconds time = 0;
  bool plain = true;  // active from the beginning, and no reward came yet
};

// An event as it is read in the order of the log.
struct LoggedEvent {
  Sequence sequence = 0;
  std::string_view decision;  // encoded
  EventState state = {};
};

// Of ids and their decisions, in any order: the same only if they are all the same.
struct EventDigest {
  std::uint64_t count = 0, sum = 0;

  void add(std::string_view id, Sequence decision) noexcept;
  bool operator==(const EventDigest&) const = default;
};

// The log and what is looked up in it. write() and forget() are called by one thread at a time; the
// others are thread-safe. A Failure of a reading function means that the store is damaged; it says
// where.
class EventStore {
 public:
  virtual ~EventStore() = default;

  // On disk when it returns well. After a failure the store takes nothing until it is reopened, and
  // the batch may or may not be in it. Numbers must follow those before without a gap.
  virtual Status write(const StoreBatch& batch) = 0;
  // Closes and opens again, after a failure. Nothing may be reading.
  virtual Status reopen() = 0;

  // Throughout, events whose decision was removed are not there.
  virtual Result<std::optional<EventState>> event(std::string_view id) const = 0;
  virtual Result<std::optional<Decision>> decision(Sequence sequence) const = 0;
  virtual Result<std::optional<std::string>> event_id(Sequence decision) const = 0;
  // Entries or decisions from `first` on, in order, until `visit` returns false.
  virtual Status entries(Sequence first,
                         const std::function<bool(Sequence, Entry)>& visit) const = 0;
  virtual Status decisions(Sequence first,
                           const std::function<bool(Sequence, Decision)>& visit) const = 0;
  // Of these decisions, which are in order, those that are there.
  virtual Status decisions_of(std::span<const Sequence> which,
                              const std::function<void(Sequence, Decision)>& visit) const = 0;
  // Every event from `first` to `last`, in the order of the decisions, until `visit` returns false.
  virtual Status events(Sequence first, Sequence last,
                        const std::function<bool(const LoggedEvent&)>& visit) const = 0;
  virtual Result<std::vector<WaitingDecision>> waiting() const = 0;
  virtual Result<std::optional<std::string>> configuration() const = 0;
  // Whether nothing is to be learned from this decision: an entry kStruck says so.
  virtual bool is_struck(Sequence decision) const = 0;

  virtual LogHead head() const = 0;
  // The head as it was at the end of what was removed; all zero when nothing was.
  virtual LogHead base() const = 0;

  // Up to where the log may be removed: to a place where every record is older than `older_than`,
  // and all that happened to the decisions before it is among the records up to `learned`.
  virtual Result<std::optional<LogHead>> removable(Sequence learned,
                                                   Milliseconds older_than) const = 0;
  // Removes all up to a head that removable() gave. Costs little, however much that is. (A store
  // that does not reach as far begins after it.)
  virtual Status forget(const LogHead& until) = 0;

  // Reads the whole log: every record's checksum, no number missing, the chain of checksums.
  // Returns the sentence that says what is wrong; empty when all is well.
  virtual std::string check_continuity() const = 0;
  // Of the events by id, to be compared with that of the decisions.
  virtual Result<EventDigest> event_digest() const = 0;

  virtual std::uint64_t bytes() const = 0;
};

struct StoreOptions {
  bool read_only = false;
  bool verify = true;        // read the whole log and every checksum before it is used
  bool accept_loss = false;  // take the log as it is, though more was acknowledged
  bool sync = true;          // false: for tests, and for logs that are copied as a whole
  int open_files = 256;      // of tables; RocksDB takes 20 at least. A read-only store opens all
  // Told what was repaired when it was opened, as one sentence each.
  std::function<void(const std::string&)> note = {};
};

// On RocksDB. Throws Error when the folder cannot be used; when something in it is damaged
// elsewhere than in a record that was never acknowledged (file and place are named); or when the
// log is not all that was acknowledged. Nothing in the folder is changed before all of that has
// been looked at. A read-only store is a view of one moment, also while another process writes.
std::unique_ptr<EventStore> open_event_store(const std::filesystem::path& folder,
                                             const StoreOptions& options);

// What was acknowledged last, as the file beside the store says; nothing when there is no such
// file. Throws Error when it cannot be read.
std::optional<LogHead> acknowledged_head(const std::filesystem::path& folder);

// Copies a store to a new folder, as of one moment, also while another process writes to it.
// Throws Error, and leaves nothing behind, when it cannot.
void copy_event_store(const std::filesystem::path& from, const std::filesystem::path& to);

// Writes the log of a store of format version 2 to a new store, and reads it back. The old one is
// not changed. Throws Error, and leaves nothing behind, when it cannot.
void carry_over_event_store(const std::filesystem::path& old_folder,
                            const std::filesystem::path& to);

}  // namespace sau
