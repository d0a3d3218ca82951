#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/store/record.hpp"

namespace sau {

struct Waiting {
  Sequence decision = 0;
  Milliseconds time = 0;
};

// What is to be written as one: all of it or nothing.
struct StoreBatch {
  std::vector<std::pair<Sequence, std::string>> decisions;  // encoded
  std::vector<std::pair<Sequence, Entry>> entries;
  std::vector<std::pair<std::string_view, EventState>> events;  // by id
  // Decisions that wait from here on, unless an entry of this very batch settles them.
  std::vector<Waiting> waiting;
  // `waiting` has those from before as well: what was written of them earlier is not needed any
  // more. To be done now and then, since it costs as much as there are.
  bool all_waiting = false;
  std::optional<std::string> configuration;  // JSON

  bool empty() const noexcept { return decisions.empty() && entries.empty(); }
};

// The log and what is looked up in it. write() and forget() are called by one thread at a time; the
// others may be called by any number of threads at the same time. A Failure of what reads says that
// the store is damaged, and where.
class EventStore {
 public:
  virtual ~EventStore() = default;

  // On disk when it returns well; a failure means that the store takes no more until it is
  // reopened, and leaves open whether the batch is in it.
  virtual Status write(const StoreBatch& batch) = 0;
  // Closes and opens again, after a failure. Nothing may be reading.
  virtual Status reopen() = 0;

  virtual Result<std::optional<EventState>> event(std::string_view id) const = 0;
  virtual Result<std::optional<Decision>> decision(Sequence sequence) const = 0;
  // Entries or decisions from `first` on, in order, until `visit` returns false.
  virtual Status entries(Sequence first,
                         const std::function<bool(Sequence, Entry)>& visit) const = 0;
  virtual Status decisions(Sequence first,
                           const std::function<bool(Sequence, Decision)>& visit) const = 0;
  virtual Result<std::vector<Waiting>> waiting() const = 0;
  virtual Result<std::optional<std::string>> configuration() const = 0;

  // The latest sequence number in the store; 0 when it is empty.
  virtual Result<Sequence> last() const = 0;
  // Removes all that came before `first`, and the events of those decisions.
  virtual Status forget(Sequence first) = 0;
  virtual std::uint64_t bytes() const = 0;
};

struct StoreOptions {
  bool read_only = false;
  bool verify = true;  // every checksum in the store before it is used
  // Told what was repaired when it was opened, as one sentence each.
  std::function<void(const std::string&)> note = {};
};

// On RocksDB. Throws Error when the folder cannot be used, and names file and place when something
// in it is damaged elsewhere than at the end of the last file, where a crash may tear a record.
std::unique_ptr<EventStore> open_event_store(const std::filesystem::path& folder,
                                             const StoreOptions& options);

}  // namespace sau
