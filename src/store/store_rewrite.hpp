#pragma once

#include <filesystem>
#include <map>
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

// Writes the log of a store to a new store, and reads it back. Nothing of what is replaced is ever
// in the new files. Throws Error, and leaves nothing behind, on failure.
void rewrite_event_store(const EventStore& from, const std::filesystem::path& to,
                         const LogRewrite& how);

// Puts the store `with` in the place of another one, which nobody may have open, and removes that.
// Throws Error, and changes nothing, if the old store has gone on since it had this head. If this
// is interrupted after it has begun, finish_replacing() does the rest.
void replace_event_store(const std::filesystem::path& place, const std::filesystem::path& with,
                         const LogHead& head);
void finish_replacing(const std::filesystem::path& place);

}  // namespace sau::detail
