#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sau/serve/erased.hpp"
#include "sau/store/event_store.hpp"
#include "store/store_rewrite.hpp"

namespace sau::detail {

// Events to erase. All that is left of one is that there was an event, when, and that it no longer
// counts.
class Erasing {
 public:
  // Adds an event, with all its slots if it has several; `id_or_slot` may be that of any slot's
  // decision. Returns false if it is unknown.
  [[nodiscard]] bool add(const EventStore& store, const std::string& id_or_slot);
  // Adds the events from record `first` on whose request mentions one of these users. Looks at some
  // of them, and returns where to continue; 0 at the end.
  Sequence add_all_of(const EventStore& store, std::span<const UserFeature> users, Sequence first);

  bool empty() const noexcept { return ids_.empty(); }
  // Their ids, by decision.
  const std::map<Sequence, std::string>& ids() const noexcept { return ids_; }

  // What the log becomes. Events that were completed by a record up to `fixed` cannot be unlearned.
  LogRewrite rewrite(const EventStore& store, Sequence fixed, Erased& result) const;

 private:
  void add(const std::string& id, Sequence sequence, const Decision& decision);

  std::map<Sequence, std::string> ids_;
};

// What becomes of an event that is erased.
enum class Fate : std::uint8_t {
  kDropped,  // it still waits, and must not wait any longer
  kStruck,   // what was learned from it is unlearned
  kStays,    // a model file has learned from it
  kNothing,  // nothing was learned from it, or it was unlearned before
};
Fate fate_of(const EventState& state, Sequence fixed) noexcept;

}  // namespace sau::detail
