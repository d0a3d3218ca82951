#pragma once

#include <optional>
#include <span>
#include <string>

#include "sau/model/committee_options.hpp"
#include "sau/store/record.hpp"
#include "serve/request_outline.hpp"
#include "serve/vw_features.hpp"

namespace sau::detail {

// Decisions as JSON, written directly: an export has millions of them.

// The state of an event, in one word.
const char* state_name(const EventState& state, LearningMode mode);

// Whether an event was completed, by a reward or without one.
inline bool has_outcome(const EventState& state) noexcept {
  return state.phase == EventPhase::kCompleted || state.phase == EventPhase::kMissing;
}

// Reads the request of a decision. A failure says that the record cannot be understood.
Status read_outline(const Decision& decision, RequestOutline& outline);

struct DecisionTextOptions {
  std::optional<Milliseconds> deadline = {};   // until when a reward counts, if known
  bool request = false;                        // with the request as it was sent
  std::span<const MemberRecord> members = {};  // of a committee; only their specs are used
};

// An object with everything known about an event (docs/http.md, GET /v1/decisions).
void append_decision(std::string& out, const Decision& decision, const EventState& event,
                     const RequestOutline& outline, const DecisionTextOptions& options);

// An object as Vowpal Wabbit reads it (docs/formats/dsjson.md). `features` keeps its memory from
// one call to the next.
void append_dsjson(std::string& out, const Decision& decision, const EventState& event,
                   const RequestOutline& outline, VwFeatures& features);

}  // namespace sau::detail
