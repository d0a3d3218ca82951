#include "store/store_rewrite.hpp"

#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "core/open_file.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "store/log_mark.hpp"
#include "store/rocks_database.hpp"

namespace sau::detail {
namespace {

namespace fs = std::filesystem;

constexpr Sequence kRewrittenAtOnce = 1000;

// While this object exists, no other process replaces a store in the same folder.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : folder_(folder, O_DIRECTORY) {
    while (folder_.number() < 0 || ::flock(folder_.number(), LOCK_EX) != 0) {
      if (folder_.number() >= 0 && errno == EINTR) continue;
      throw Error(folder.string() + ": cannot be locked: " + std::strerror(errno));
    }
  }

 private:
  OpenFile folder_;
};

fs::path next_to(const fs::path& place) { return place.string() + ".next"; }

// From `log.next` to `log`. Each step may be the first one after an interruption. Called with the
// folder locked.
void move_into_place(const fs::path& place) {
  const fs::path next = next_to(place), folder = place.parent_path();
  if (!fs::exists(next)) return;
  sync_folder(
      folder);  // before anything is removed: `log.next` must be there after a power failure
  fs::remove_all(place);
  if (fs::exists(mark_file(next))) fs::rename(mark_file(next), mark_file(place));
  fs::rename(next, place);
  sync_folder(folder);
}

// A piece of the log as it is written again.
class Piece {
 public:
  Piece(const EventStore& from, const LogRewrite& how) : from_(from), how_(how) {}

  // The states of events that an entry after `begun` has changed are written again, too.
  void read(Sequence first, Sequence last, Sequence begun) {
    good(from_.events(first, last, [&](const LoggedEvent& event) {
      add(event);
      return true;
    }));
    std::vector<Sequence> changed;
    good(from_.entries(first, [&](Sequence sequence, Entry entry) {
      if (sequence > last) return false;
      if (how_.decisions.contains(entry.decision)) {
        entry.value = 0.0;
      } else if (sequence > begun && entry.decision != 0 && entry.decision < first) {
        changed.push_back(entry.decision);
      }
      batch_.time = std::max(batch_.time, entry.time);
      batch_.entries.emplace_back(sequence, std::move(entry));
      return true;
    }));
    // An event may have many entries, and looking it up takes long.
    std::ranges::sort(changed);
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const Sequence decision : changed) {
      good(from_.events(decision, decision, [&](const LoggedEvent& event) {
        if (event.changed) batch_.states.emplace_back(event.sequence, event.state);
        return true;
      }));
    }
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

}  // namespace

StoreRewriter::StoreRewriter(const EventStore& from, fs::path to, const LogRewrite& how)
    : to_(std::move(to)),
      how_(how),
      base_(from.base()),
      begun_(from.head().last),
      next_(base_.last + 1),
      round_(begun_ - base_.last),
      round_end_(begun_) {
  remove();  // what an interrupted attempt has left
  store_ = open_event_store(to_, {.sync = false});
  if (base_.last > 0) good(store_->forget(base_));
}

StoreRewriter::~StoreRewriter() {
  store_.reset();
  if (!kept_) remove();
}

void StoreRewriter::remove() noexcept {
  std::error_code ignored;
  fs::remove_all(to_, ignored);
  fs::remove(mark_file(to_), ignored);
}

void StoreRewriter::copy(const EventStore& from) {
  const Sequence last = std::min(next_ + kRewrittenAtOnce - 1, from.head().last);
  if (next_ > last) return;
  Piece piece(from, how_);
  piece.batch().time = time_;
  piece.read(next_, last, begun_);
  time_ = piece.batch().trusted_time = piece.batch().time;
  good(store_->write(piece.batch()));
  next_ = last + 1;
}

bool StoreRewriter::advance(const EventStore& from) {
  copy(from);
  const Sequence head = from.head().last;
  if (next_ > head) return false;
  if (next_ <= round_end_) return true;
  // All that was there when the round began is copied; the next round is what came meanwhile.
  const Sequence left = head + 1 - next_;
  const bool closer = left <= round_ / 2;
  round_ = left;
  round_end_ = head;
  return closer;
}

void StoreRewriter::check() {
  store_.reset();
  store_ = open_event_store(to_, {});  // checks every record and puts everything on disk
}

bool StoreRewriter::finish(const EventStore& from) {
  if (from.base() != base_) return false;
  while (next_ <= from.head().last) copy(from);
  Piece end(from, how_);
  end.end(from.head());
  good(store_->write(end.batch()));
  store_.reset();
  return true;
}

void rewrite_event_store(const EventStore& from, const fs::path& to, const LogRewrite& how) {
  StoreRewriter rewriter(from, to, how);
  static_cast<void>(rewriter.finish(from));  // nobody removes anything
  rewriter.check();
  rewriter.keep();
}

void replace_event_store(const fs::path& place, const fs::path& with, const LogHead& head) {
  const DatabaseLock lock(place);
  if (!lock.status().ok()) throw Error(why_not_opened(place, lock.status()));
  // The times may differ: of two marks for the same record, either may be the later one.
  const auto acknowledged = acknowledged_head(place);
  if (!acknowledged || acknowledged->last != head.last || acknowledged->chain != head.chain) {
    throw Error(place.string() + ": somebody has written to it meanwhile; nothing was changed");
  }
  const FolderLock folder(place.parent_path());
  fs::rename(mark_file(with), mark_file(next_to(place)));
  fs::rename(with, next_to(place));  // from here on the new store counts
  move_into_place(place);
}

bool is_being_replaced(const fs::path& place) { return fs::exists(next_to(place)); }

void finish_replacing(const fs::path& place) {
  if (!is_being_replaced(place)) return;
  const FolderLock folder(place.parent_path());
  move_into_place(place);
}

}  // namespace sau::detail
