#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/time_text.hpp"
#include "sau/store/failure.hpp"

namespace sau {

// The records of the log. Everything that happens gets the next sequence number; decisions, and the
// entries about what happens to them later, share one numbering. Each record ends in its own
// checksum, so that a log can be checked from end to end (docs/formats/log.md).

using Sequence = std::uint64_t;  // from 1

enum class LearningMode : std::uint8_t { kOnline, kApprentice, kLoggingOnly };

// One of the actions of a decision, as the agent saw it.
struct DecidedAction {
  double value = 0.0, spread = 0.0, variance = 0.0, probability = 0.0;
  std::uint64_t count = 0;

  bool operator==(const DecidedAction&) const = default;
};

// What a committee adds to a decision, and what pooled residuals do. Single precision will do: this
// is for people.
struct DecidedCommittee {
  std::vector<float> weights;                // of its members; empty for other models
  std::vector<float> disagreement, bonuses;  // one per action; empty for other models
  double pooled = 0.0;                       // the part of S2_a that comes from all actions

  // Whether there is nothing to say.
  bool empty() const noexcept { return weights.empty() && pooled == 0.0; }
  bool operator==(const DecidedCommittee&) const = default;
};

struct Decision {
  Milliseconds time = 0;
  std::string event_id;
  std::uint64_t fingerprint = 0;  // of the request
  std::uint64_t model_version = 0;
  LearningMode mode = LearningMode::kOnline;
  bool deferred = false;       // counts only once activated
  std::uint32_t chosen = 0;    // place among the actions
  std::uint32_t policy = 0;    // what the policy would have chosen; may differ in apprentice mode
  std::uint32_t baseline = 0;  // the caller's first action that was not excluded
  std::vector<DecidedAction> actions;
  DecidedCommittee committee = {};
  std::string request;  // the body, as it was sent

  bool operator==(const Decision&) const = default;
};

enum class EntryKind : std::uint8_t {
  kReward,      // came in time; with `completes`, the event is learned from with `value`
  kLateReward,  // came after the event was completed, or was not the first: kept, not learned from
  kActivated,   // with `completes`, a reward had come before
  kExpired,     // its time is up; with `completes`, it is learned from with `value`
  kConfigured,  // `text` is the configuration from here on
  kModelReset,
  kModelLoaded,  // `text` is the name of the file
  kMissing,      // no reward came for `missing`: each is learned from with `value`, the default
  kStruck,       // the model is as if it had never learned from this event
  kImported,     // the decisions before it came from a file; `text` says which, as JSON
  kPolicy,       // another agent makes the decisions from here on; `text` says which, as JSON
  kTrialBegun,   // a candidate is watched from here on; `text` says which and how, as JSON
  kTrialEnded,   // `text` says how it ended, as JSON; maybe the candidate is the policy now
};

// Anything that happened other than a decision.
struct Entry {
  EntryKind kind = EntryKind::kReward;
  Milliseconds time = 0;
  Sequence decision = 0;  // the one it is about; 0 for none
  bool completes = false;
  double value = 0.0;
  std::string text = {};
  std::vector<Sequence> missing = {};  // decisions, in order; only for kMissing

  // Whether its decision no longer waits for a reward.
  bool settles() const noexcept { return completes || kind == EntryKind::kExpired; }

  bool operator==(const Entry&) const = default;
};

enum class EventPhase : std::uint8_t {
  kWaiting,    // for its reward
  kCompleted,  // by a reward
  kMissing,    // completed with the default reward
  kDropped,    // expired without being activated
};

struct ReceivedReward {
  Milliseconds time = 0;
  double value = 0.0;
  bool late = false;  // or not the first, when only the first one counts

  bool operator==(const ReceivedReward&) const = default;
};

// What the decision alone says about an event; stored by event id.
struct IndexedEvent {
  Sequence decision = 0;
  Milliseconds time = 0;
  std::uint64_t fingerprint = 0;
  bool deferred = false;

  bool operator==(const IndexedEvent&) const = default;
};

// Where an event stands; stored by decision, once something has happened to it.
struct EventState {
  Sequence decision = 0;
  Milliseconds time = 0;
  std::uint64_t fingerprint = 0;
  EventPhase phase = EventPhase::kWaiting;
  bool active = true;
  bool struck = false;  // nothing is learned from it
  std::uint32_t rewards = 0, late = 0;
  double first = 0.0, sum = 0.0;              // of the rewards that came in time
  double final_reward = 0.0;                  // what it was completed with
  Sequence completed_by = 0;                  // the entry that completed it
  std::vector<ReceivedReward> received = {};  // the first few; the log has all

  // The state of an event to which nothing has happened yet.
  static EventState of(const IndexedEvent& event) {
    return {.decision = event.decision,
            .time = event.time,
            .fingerprint = event.fingerprint,
            .active = !event.deferred};
  }

  bool operator==(const EventState&) const = default;
};

// Replaces the contents of `into`. The request of a decision, by far its largest part, is
// compressed.
void encode(const Decision& decision, std::string& into);
void encode(const Entry& entry, std::string& into);
void encode(const IndexedEvent& event, std::string& into);
void encode(const EventState& state, std::string& into);
template <class Record>
std::string encode(const Record& record) {
  std::string bytes;
  encode(record, bytes);
  return bytes;
}
// Sets the time of an encoded decision: it is not known before the decision is written.
void set_time(std::string& encoded, Milliseconds time);

// A failure says what is wrong with the bytes.
Result<Decision> decode_decision(std::string_view bytes);
Result<Entry> decode_entry(std::string_view bytes);
Result<IndexedEvent> decode_indexed_event(std::string_view bytes);
Result<EventState> decode_event_state(std::string_view bytes);

// The part of an encoded decision that is cheap to read.
struct DecisionHead {
  Milliseconds time = 0;
  std::uint64_t fingerprint = 0;
  bool deferred = false;
  std::string event_id;
};
Result<DecisionHead> decode_decision_head(std::string_view bytes);

// The part of a decision that is learned from.
struct DecisionLesson {
  std::string event_id;
  LearningMode mode = LearningMode::kOnline;
  std::uint32_t chosen = 0, baseline = 0;
  double value = 0.0, probability = 0.0;  // of the chosen action
  std::string request;                    // empty if nothing is learned

  bool teaches() const noexcept { return mode != LearningMode::kLoggingOnly; }
  static DecisionLesson of(const Decision& decision);

  bool operator==(const DecisionLesson&) const = default;
};
// Replaces the contents of `into`, and uses its memory again.
Status decode_lesson(std::string_view bytes, DecisionLesson& into);

// The checksum at the end of an encoded record, or nothing when it does not match the rest.
std::optional<std::uint64_t> record_checksum(std::string_view bytes);

}  // namespace sau
