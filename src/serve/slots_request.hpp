#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/serve/rank_request.hpp"

namespace sau::detail {

// A request for several slots at once, as Personalizer has it. Each slot is a decision of its own,
// with a rank request of its own; an action that one slot takes is excluded from the later ones.
class SlotsRequest {
 public:
  // `limits` are those of one rank request; there are at most kMostSlots slots.
  static Result<SlotsRequest> read(std::string_view body, const RequestLimits& limits);
  static constexpr std::size_t kMostSlots = 50;

  const std::string& event_id() const noexcept { return event_id_; }  // empty: the caller gave none
  void set_event_id(std::string id) { event_id_ = std::move(id); }
  std::size_t size() const noexcept { return slots_.size(); }
  const std::string& slot_id(std::size_t slot) const { return slots_[slot].id; }
  // The same for a retry, however the JSON is written.
  std::uint64_t fingerprint() const noexcept { return fingerprint_; }

  // The body of the rank request for a slot, given what earlier slots took. The slot's baseline
  // action comes first. Actions that a later slot cannot do without are excluded, too.
  std::string rank_body(std::size_t slot) const;
  // A failure of that rank request, with the places of this request.
  Failure own_failure(Failure failure, std::size_t slot) const;
  // The next slot takes this action.
  void take(const std::string& action);

 private:
  struct Slot {
    std::string id;
    nlohmann::ordered_json features;
    std::size_t baseline = 0;
    std::vector<bool> excluded;  // by action
  };

  // A way to give all slots after `slot` different actions without this one: for each action, the
  // slot that would have it. Empty if there is no way.
  std::vector<std::size_t> later_owners(std::size_t slot, std::size_t without) const;

  std::string event_id_;
  bool defer_ = false;
  nlohmann::ordered_json context_, actions_;
  std::vector<std::string> ids_;  // of the actions
  std::vector<bool> taken_;
  std::vector<Slot> slots_;
  std::uint64_t fingerprint_ = 0;
};

// The ids of the decisions of an event with several slots: the first has the event's own id.
std::string decision_id(const std::string& event_id, const std::string& slot_id, bool first);

// The inverse: the id of the event, if the decision is one of a further slot.
std::string event_of_decision(const std::string& id);

// What the logged request of an event's first slot says about all of them; empty for an event
// without slots.
struct LoggedSlots {
  std::vector<std::string> ids;
  std::uint64_t fingerprint = 0;
};
LoggedSlots logged_slots(std::string_view request);

// {"reward":[{"slotId","value"},...]}.
Result<std::vector<std::pair<std::string, double>>> read_slot_rewards(std::string_view body);

}  // namespace sau::detail
