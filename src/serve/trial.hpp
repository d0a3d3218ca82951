#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/evaluate/gain.hpp"
#include "sau/serve/configuration.hpp"
#include "sau/serve/gate.hpp"
#include "sau/store/event_store.hpp"

namespace sau::detail {

// A trial as the log begins it: the text of an entry of kind kTrialBegun.
struct TrialPlan {
  GateRequest request = {};
  std::string id = {};
  // The candidate begins with this model file, which has learned from all events that were
  // completed up to record `learned`. No decision before `from` was open then.
  std::string model = {};
  Sequence learned = 0, from = 1;
  // As it would be served, and the rewards that are possible: those in force when it began.
  std::optional<double> exploration = {};
  double floor = 0.0;
  RewardRange rewards{-1.0, 1.0};
  Milliseconds time = 0;
};
std::string write_trial_plan(const TrialPlan& plan);
Result<TrialPlan> read_trial_plan(std::string_view text);

// How a trial ended: the text of an entry of kind kTrialEnded.
struct TrialEnd {
  std::string id;
  GateOutcome outcome = GateOutcome::kStopped;
  Milliseconds time = 0;
};
std::string write_trial_end(const TrialEnd& end);
Result<TrialEnd> read_trial_end(std::string_view text);

// A trial that has ended, for the model file.
std::string write_gate_state(const GateState& state);
Result<GateState> read_gate_state(std::string_view text);

// A candidate that is watched: it learns from every event, and is scored on what it would have
// chosen, but decides nothing. It looks at decisions in the order in which they were made, each
// once it is settled and all before it are: what it would have done depends on earlier decisions
// only, so the evidence holds however long one watches. Its state depends only on the log.
class Trial {
 public:
  // Begun by this record. Throws Error when the model file cannot be read.
  Trial(TrialPlan plan, Sequence begun, const std::filesystem::path& folder, std::uint64_t seed);

  const TrialPlan& plan() const noexcept { return plan_; }
  // Looks at what was settled by this record.
  std::optional<Failure> follow(Sequence position, const EventStore& store);
  // Learns also from events that were completed by this record while earlier ones still wait; then
  // it has learned from all events. The last call.
  std::optional<Failure> finish(Sequence position, const EventStore& store);
  // After finish().
  std::unique_ptr<OfferAgent> take_agent() noexcept { return std::move(agent_); }

  // What the evidence says; nothing while it is not enough.
  std::optional<GateOutcome> verdict() const;
  GateState state() const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  // Scores a settled event, if it should, and learns from it.
  std::optional<Failure> look(const LoggedEvent& event, bool scores);

  TrialPlan plan_;
  Sequence begun_;
  Sequence next_;  // the decision to look at
  std::unique_ptr<OfferAgent> agent_;
  GainScore score_;
  Configuration served_;     // with the share of uniform choices and the floor
  double reward_sum_ = 0.0;  // of the decisions that were scored
  std::uint8_t broken_ = 0;  // it failed to learn: nothing is expected of it
  std::vector<Forecast> forecasts_;
  std::vector<double> policy_, chances_, predicted_;
};

}  // namespace sau::detail
