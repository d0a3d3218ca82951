#include "store/store_rewrite.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "sau/core/error.hpp"
#include "store/log_mark.hpp"
#include "store/rocks_database.hpp"

namespace sau::detail {
namespace {

namespace fs = std::filesystem;

constexpr Sequence kRewrittenAtOnce = 1000;

// While this object exists, no other process replaces a store in the same folder.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (::flock(folder_, LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      const std::string why = std::strerror(errno);
      if (folder_ >= 0) ::close(folder_);
      throw Error(folder.string() + ": cannot be locked: " + why);
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() { ::close(folder_); }

  // Puts the names in the folder on disk.
  void sync() const noexcept { ::fsync(folder_); }

 private:
  int folder_;
};

fs::path next_to(const fs::path& place) { return place.string() + ".next"; }

// From `log.next` to `log`. Each step may be the first one after an interruption.
void move_into_place(const fs::path& place, const FolderLock& lock) {
  const fs::path next = next_to(place);
  if (!fs::exists(next)) return;
  fs::remove_all(place);
  if (fs::exists(mark_file(next))) fs::rename(mark_file(next), mark_file(place));
  fs::rename(next, place);
  lock.sync();
}

// A piece of the log as it is written again.
class Piece {
 public:
  Piece(const EventStore& from, const LogRewrite& how) : from_(from), how_(how) {}

  void read(Sequence first, Sequence last) {
    good(from_.events(first, last, [&](const LoggedEvent& event) {
      add(event);
      return true;
    }));
    good(from_.entries(first, [&](Sequence sequence, Entry entry) {
      if (sequence > last) return false;
      if (how_.decisions.contains(entry.decision)) entry.value = 0.0;
      batch_.time = std::max(batch_.time, entry.time);
      batch_.entries.emplace_back(sequence, std::move(entry));
      return true;
    }));
  }
  // Adds the entries that are new, and what the store has besides its records.
  void end(const LogHead& head) {
    Sequence sequence = head.last;
    for (Entry entry : how_.more) {
      entry.time = head.time;
      batch_.entries.emplace_back(++sequence, std::move(entry));
    }
    batch_.configuration = good(from_.configuration());
    batch_.leaps = good(from_.leaps());
    batch_.time = head.time;
    batch_.trusted_time = head.trusted_time;
    batch_.waiting_from = head.waiting_from;
    batch_.keep_head = true;
  }
  StoreBatch& batch() noexcept { return batch_; }

 private:
  void add(const LoggedEvent& event) {
    const auto replaced = how_.decisions.find(event.sequence);
    const bool is_new = replaced != how_.decisions.end();
    std::string bytes = is_new ? encode(replaced->second.decision) : std::string(event.decision);
    const DecisionHead head = good(decode_decision_head(bytes));
    batch_.time = std::max(batch_.time, head.time);
    batch_.events.emplace_back(
        ids_.emplace_back(head.event_id),
        IndexedEvent{event.sequence, head.time, head.fingerprint, head.deferred});
    batch_.decisions.emplace_back(event.sequence, std::move(bytes));
    if (is_new || event.changed) {
      batch_.states.emplace_back(event.sequence, is_new ? replaced->second.state : event.state);
    }
  }

  const EventStore& from_;
  const LogRewrite& how_;
  StoreBatch batch_;
  std::deque<std::string> ids_;  // the batch refers to them
};

void rewrite(const EventStore& from, const LogRewrite& how, EventStore& to) {
  const LogHead base = from.base(), head = from.head();
  if (base.last > 0) good(to.forget(base));
  Milliseconds time = 0;
  for (Sequence first = base.last + 1; first <= head.last; first += kRewrittenAtOnce) {
    Piece piece(from, how);
    piece.batch().time = time;
    piece.read(first, std::min(first + kRewrittenAtOnce - 1, head.last));
    time = piece.batch().trusted_time = piece.batch().time;
    good(to.write(piece.batch()));
  }
  Piece end(from, how);
  end.end(head);
  good(to.write(end.batch()));
}

}  // namespace

void rewrite_event_store(const EventStore& from, const fs::path& to, const LogRewrite& how) {
  const auto remove = [&] {
    std::error_code ignored;
    fs::remove_all(to, ignored);
    fs::remove(mark_file(to), ignored);
  };
  remove();  // what an interrupted attempt has left
  try {
    rewrite(from, how, *open_event_store(to, {.sync = false}));
    open_event_store(to, {});  // checks every record and puts everything on disk
  } catch (...) {
    remove();
    throw;
  }
}

void replace_event_store(const fs::path& place, const fs::path& with, const LogHead& head) {
  const DatabaseLock lock(place);
  if (!lock.status().ok()) throw Error(why_not_opened(place, lock.status()));
  if (acknowledged_head(place) != head) {
    throw Error(place.string() + ": somebody has written to it meanwhile; nothing was changed");
  }
  const FolderLock folder(place.parent_path());
  fs::rename(mark_file(with), mark_file(next_to(place)));
  fs::rename(with, next_to(place));  // from here on the new store counts
  folder.sync();
  move_into_place(place, folder);
}

void finish_replacing(const fs::path& place) {
  if (!fs::exists(next_to(place))) return;
  const FolderLock folder(place.parent_path());
  move_into_place(place, folder);
}

}  // namespace sau::detail
