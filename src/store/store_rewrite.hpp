#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "sau/store/event_store.hpp"

namespace sau::detail {

// What becomes of a log that is written again.
struct LogRewrite {
  struct Replaced {
    Decision decision;
    EventState state;  // of its event
  };
  // Decisions that are replaced. What rewards they got is left out, too: the entries about them
  // have the value 0.
  std::map<Sequence, Replaced> decisions;
  std::vector<Entry> more;  // added at the end; their time is that of the log's end
};

// Writes the log of a store to a new store in small steps, while the old one may go on. Nothing of
// what is replaced is ever in the new files. All functions throw Error on failure. The destructor
// removes the new files, unless keep() was called.
class StoreRewriter {
 public:
  // The store from which this begins may be that of a service; `how` must outlive this object.
  StoreRewriter(const EventStore& from, std::filesystem::path to, const LogRewrite& how);
  StoreRewriter(const StoreRewriter&) = delete;
  StoreRewriter& operator=(const StoreRewriter&) = delete;
  ~StoreRewriter();

  // Writes some of what is left. Returns whether to go on: no if nothing is left, or if the old log
  // grows about as fast as it is copied, so that the rest is for finish().
  bool advance(const EventStore& from);
  // Reads everything back that was written so far. From here on every write is synced.
  void check();
  // Writes the rest, and closes the new store. The old one may not be written to meanwhile. Returns
  // false if the beginning of the old log was removed since this began: then begin anew.
  [[nodiscard]] bool finish(const EventStore& from);
  void keep() noexcept { kept_ = true; }

 private:
  void copy(const EventStore& from);
  void remove() noexcept;

  std::filesystem::path to_;
  const LogRewrite& how_;
  LogHead base_;
  Sequence begun_ = 0;  // where the old log ended when this began
  Sequence next_ = 0;
  Sequence round_ = 0, round_end_ = 0;  // how many records the round has, and the last of them
  Milliseconds time_ = 0;
  bool kept_ = false;
  std::unique_ptr<EventStore> store_;
};

// All of it at once, of a log that nobody writes to, and reads it back. Throws Error, and leaves
// nothing behind, on failure.
void rewrite_event_store(const EventStore& from, const std::filesystem::path& to,
                         const LogRewrite& how);

// Puts the store `with` in the place of another one, which nobody may have open, and removes that.
// Throws Error, and changes nothing, if the old store has gone on since it had this head. If this
// is interrupted after it has begun, finish_replacing() does the rest.
void replace_event_store(const std::filesystem::path& place, const std::filesystem::path& with,
                         const LogHead& head);
void finish_replacing(const std::filesystem::path& place);
// Whether it has begun and is not finished: for a moment there may be no store at this place.
bool is_being_replaced(const std::filesystem::path& place);

}  // namespace sau::detail
