#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/serve/configuration.hpp"
#include "sau/serve/gate.hpp"
#include "sau/store/event_store.hpp"
#include "serve/activity.hpp"
#include "serve/metrics.hpp"

namespace sau::detail {

// JSON for people and programs (docs/http.md).

struct ModelView {
  std::string agent;
  Sequence version = 0;
  std::uint64_t events = 0;
  Milliseconds published = 0, now = 0;
  std::string checksum;
};
std::string describe_model(const ModelView& model);

// From the first decision in the log to its end; a failure if it has no decision.
Result<std::string> describe_log(const EventStore& store);

// A decision and what became of it; `wait` is how long a reward counts, `members` are those of a
// committee.
Result<std::string> describe_decision(const EventStore& store, std::string_view event_id,
                                      Milliseconds wait, std::span<const MemberRecord> members);

struct ServiceView {
  std::string agent;
  LearningMode mode = LearningMode::kOnline;
  bool ready = false;
  ClockReading now = {};
  Milliseconds started = 0;  // by the steady clock
  Sequence version = 0;
  std::uint64_t events = 0;
  Milliseconds published = 0;
  Metrics::Totals totals = {};
  std::uint64_t waiting = 0, lag = 0, log_bytes = 0, known_actions = 0;
  std::string fault;
  std::vector<MemberRecord> members = {};  // of a committee
  std::optional<GateState> gate = {};
  std::vector<Activity::Share> shares = {};
  std::vector<ActionRecord> actions = {};
  std::string cluster = {};  // its members, as JSON, at a trainer
};
// What the agent has learned about the actions in `shares`, and about the `limit` ids with the most
// rewards.
std::vector<ActionRecord> records_of(const OfferAgent& agent,
                                     const std::vector<Activity::Share>& shares, std::size_t limit);
// What happened since the start, in periods of a span; a failure if there is no such span.
Result<std::string> describe_history(const Activity& activity, std::string_view span,
                                     const ClockReading& now);
// `store` says what became of the recent decisions; a node of a cluster has none.
std::string describe_status(const ServiceView& view, const Activity& activity,
                            const EventStore* store);

}  // namespace sau::detail
