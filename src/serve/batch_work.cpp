#include "serve/batch_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "serve/erasing.hpp"

namespace sau::detail {
namespace {

// How many rewards of one event are kept for its explanation. The limit keeps events small.
constexpr std::size_t kReceivedKept = 16;

Failure unknown_event(const std::string& id) {
  return {Failure::Code::kNotFound, fmt::format("there is no event '{}'", id), "eventId"};
}

}  // namespace

Result<RankAnswer> answer_of(const Decision& decision) {
  const auto request = read_rank_request(decision.request, RequestLimits::none());
  if (!request.ok() || request.value().actions.size() != decision.actions.size()) {
    return Failure{Failure::Code::kInternal,
                   "the logged request of event '" + decision.event_id + "' cannot be read"};
  }
  RankAnswer answer{.ranking = {}, .event_id = decision.event_id, .chosen = decision.chosen};
  for (std::size_t i = 0; i < decision.actions.size(); ++i) {
    answer.ranking.push_back({request.value().actions[i].id, decision.actions[i].probability});
  }
  return answer;
}

Result<std::optional<EventState>> BatchWork::event(std::string_view id) const {
  if (const auto found = touched_.find(id); found != touched_.end()) {
    return std::optional(found->second.state);
  }
  return store_.read([&](const EventStore& store) { return store.event(id); });
}

BatchWork::Touched& BatchWork::touched(std::string_view id) {
  if (const auto found = touched_.find(id); found != touched_.end()) return found->second;
  auto* const kept = static_cast<char*>(memory_.allocate(id.size() + 1, 1));
  std::ranges::copy(id, kept);
  return touched_[{kept, id.size()}];
}

void BatchWork::entry(const Entry& entry) { batch_.entries.emplace_back(++last_, entry); }

void BatchWork::keep(std::string_view id, EventState state) {
  if (state.phase == EventPhase::kWaiting) changed_.push_back(state.decision);
  Touched& kept = touched(id);
  kept.state = std::move(state);
  kept.changed = true;
}

void BatchWork::complete(EventState& state, EventPhase phase, double reward) {
  state.phase = phase;
  state.final_reward = reward;
  state.completed_by = last_ + 1;  // the entry that is written next
  settled_.push_back(state.decision);
}

void BatchWork::add(RankOperation& operation) {
  const std::string& id = operation.answer.event_id;
  const auto known = event(id);
  if (!known.ok()) return refuse(operation.done, known.failure());
  if (const auto& before = known.value()) {
    if (before->fingerprint != operation.fingerprint) {
      return refuse(operation.done,
                    {Failure::Code::kConflict,
                     fmt::format("the event id '{}' was used for another request", id), "eventId"});
    }
    // A retry gets the same answer, whatever has been learned since.
    if (const auto found = touched_.find(id);
        found != touched_.end() && found->second.ranked != nullptr) {
      answers_.emplace_back(
          [done = operation.done, answer = *found->second.ranked] { done(answer); });
      return;
    }
    const auto decision =
        store_.read([&](const EventStore& store) { return store.decision(before->decision); });
    if (!decision.ok() || !decision.value()) {
      return refuse(operation.done, decision.ok() ? unknown_event(id) : decision.failure());
    }
    answers_.emplace_back(
        [done = operation.done, answer = answer_of(*decision.value())] { done(answer); });
    return;
  }
  start(operation);
  answers_.emplace_back([&operation] { operation.done(std::move(operation.answer)); });
}

void BatchWork::start(RankOperation& operation) {
  const std::string& id = operation.answer.event_id;
  touched(id) = {.state = {.decision = ++last_,
                           .time = now_,
                           .fingerprint = operation.fingerprint,
                           .active = !operation.deferred},
                 .ranked = &operation.answer,
                 .deferred = operation.deferred};
  set_time(operation.record, now_);
  batch_.decisions.emplace_back(last_, std::move(operation.record));
  started_.push_back({last_, now_, !operation.deferred});
  // The operation lives until the batch is done.
  reports_.emplace_back(
      [&operation, time = now_](JournalObserver& observer) { observer.ranked(operation, time); });
}

void BatchWork::add(RewardOperation& operation) {
  const auto known = event(operation.event_id);
  if (!known.ok()) return refuse(operation.done, known.failure());
  if (!known.value()) return refuse(operation.done, unknown_event(operation.event_id));
  EventState state = *known.value();
  const bool in_time = state.phase == EventPhase::kWaiting && !is_late(state);
  Entry reward{.kind = in_time ? EntryKind::kReward : EntryKind::kLateReward,
               .time = now_,
               .decision = state.decision,
               .value = operation.value};
  if (in_time) {
    if (state.rewards++ == 0) state.first = operation.value;
    state.sum += operation.value;
    reward.completes =
        state.active && configuration_.reward_aggregation == RewardAggregation::kEarliest;
    if (reward.completes) {
      // Not operation.value: a reward may have come earlier, under another aggregation.
      reward.value = state.first;
      complete(state, EventPhase::kCompleted, state.first);
    }
  } else {
    ++state.late;
  }
  if (state.received.size() < kReceivedKept) {
    state.received.push_back({now_, operation.value, !in_time});
  }
  entry(reward);
  keep(operation.event_id, state);
  reports_.emplace_back(
      [value = operation.value, delay = now_ - state.time, in_time](JournalObserver& observer) {
        observer.rewarded(value, delay, in_time);
      });
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

void BatchWork::add(ActivateOperation& operation) {
  const auto known = event(operation.event_id);
  if (!known.ok()) return refuse(operation.done, known.failure());
  if (!known.value()) return refuse(operation.done, unknown_event(operation.event_id));
  EventState state = *known.value();
  if (!state.active && state.phase == EventPhase::kWaiting && !is_late(state)) {
    state.active = true;
    Entry activated{.kind = EntryKind::kActivated, .time = now_, .decision = state.decision};
    if (state.rewards > 0 && configuration_.reward_aggregation == RewardAggregation::kEarliest) {
      activated.completes = true;
      activated.value = state.first;
      complete(state, EventPhase::kCompleted, state.first);
    }
    entry(activated);
    keep(operation.event_id, state);
  }
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

void BatchWork::add(ConfigureOperation& operation) {
  const auto read = read_configuration(operation.json, configuration_);
  if (!read.ok()) return refuse(operation.done, read.failure());
  configuration_ = read.value();
  configured_now();
  answers_.emplace_back([done = operation.done, value = configuration_] { done(value); });
}

void BatchWork::configured_now() {
  configured_ = configuration_;
  batch_.configuration = to_json(configuration_);
  entry({.kind = EntryKind::kConfigured, .time = now_, .text = *batch_.configuration});
}

void BatchWork::end_trial(GateOutcome outcome) {
  const std::string id = std::exchange(configuration_.trial, {});
  const Policy candidate = std::exchange(configuration_.candidate, {});
  if (outcome == GateOutcome::kPromoted) configuration_.policy = candidate;
  configured_now();
  entry({.kind = EntryKind::kTrialEnded,
         .time = now_,
         .text = write_trial_end({.id = id, .outcome = outcome, .time = now_})});
}

void BatchWork::add(TrialBeginOperation& operation) {
  if (!configuration_.trial.empty()) {
    return refuse(operation.done,
                  {Failure::Code::kConflict, "there is a candidate at the gate already", "gate"});
  }
  operation.plan.time = now_;
  configuration_.trial = operation.plan.id;
  configuration_.candidate = operation.plan.request.policy;
  configured_now();
  entry({.kind = EntryKind::kTrialBegun, .time = now_, .text = write_trial_plan(operation.plan)});
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

void BatchWork::add(TrialEndOperation& operation) {
  const std::string& trial = operation.trial;
  if (configuration_.trial.empty() || (!trial.empty() && trial != configuration_.trial)) {
    return refuse(operation.done,
                  {Failure::Code::kNotFound, "there is no candidate at the gate", "gate"});
  }
  end_trial(operation.outcome);
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

void BatchWork::change_policy(const Policy& policy, const PolicyChange& change) {
  if (!configuration_.trial.empty()) end_trial(GateOutcome::kReplaced);
  configuration_.policy = policy;
  configured_now();
  entry({.kind = EntryKind::kPolicy, .time = now_, .text = write_policy_change(change)});
}

void BatchWork::add(RollbackOperation& operation) {
  if (operation.policy != configuration_.policy) {
    change_policy(operation.policy, operation.change);
  }
  entry({.kind = EntryKind::kModelLoaded, .time = now_, .text = operation.file});
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

void BatchWork::add(PolicyOperation& operation) {
  change_policy(operation.policy, operation.change);
  answers_.emplace_back([done = operation.done, value = operation.change.policy] { done(value); });
}

void BatchWork::add(RemoveOperation& operation) {
  // Everything that was acknowledged before somebody could ask for this.
  configuration_.remove_until = first_ - 1;
  batch_.keep_head_before = true;
  configured_now();
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

void BatchWork::add(StrikeOperation& operation) {
  for (const std::string& id : operation.event_ids) {
    const auto known = event(id);
    if (!known.ok()) return refuse(operation.done, known.failure());
    if (!known.value()) continue;
    EventState state = *known.value();
    const Fate fate = fate_of(state, operation.fixed);
    if (fate == Fate::kStays || fate == Fate::kNothing) continue;
    const bool waits = fate == Fate::kDropped;
    if (waits) complete(state, EventPhase::kDropped, 0.0);
    entry({.kind = waits ? EntryKind::kExpired : EntryKind::kStruck,
           .time = now_,
           .decision = state.decision});
    state.struck = true;
    keep(id, state);
  }
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

void BatchWork::add(ModelOperation& operation) {
  if (operation.kind == EntryKind::kModelLoaded && operation.policy != configuration_.policy) {
    return refuse(operation.done, {Failure::Code::kConflict,
                                   "the policy was changed while the model was read", "policy"});
  }
  entry({.kind = operation.kind, .time = now_, .text = operation.file});
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

std::optional<Failure> BatchWork::expire(Sequence sequence) {
  const auto id = store_.read([&](const EventStore& store) { return store.event_id(sequence); });
  if (!id.ok()) return id.failure();
  const auto known =
      id.value() ? event(*id.value()) : Result<std::optional<EventState>>(std::nullopt);
  if (!known.ok()) return known.failure();
  if (!known.value() || known.value()->phase != EventPhase::kWaiting) {
    settled_.push_back(sequence);  // it does not wait
    return std::nullopt;
  }
  EventState state = *known.value();
  Entry expired{.kind = EntryKind::kExpired, .time = now_, .decision = sequence};
  const bool missing = state.active && state.rewards == 0;
  expired.completes = state.active;
  if (state.active) {
    const bool sum = configuration_.reward_aggregation == RewardAggregation::kSum;
    expired.value = missing ? configuration_.default_reward : sum ? state.sum : state.first;
  }
  const EventPhase phase = !state.active ? EventPhase::kDropped
                           : missing     ? EventPhase::kMissing
                                         : EventPhase::kCompleted;
  complete(state, phase, expired.value);
  entry(expired);
  keep(*id.value(), state);
  reports_.emplace_back([phase](JournalObserver& observer) { observer.expired(phase, 1); });
  return std::nullopt;
}

void BatchWork::expire_plain(std::span<const Sequence> decisions) {
  settled_.insert(settled_.end(), decisions.begin(), decisions.end());
  entry({.kind = EntryKind::kMissing,
         .time = now_,
         .decision = decisions.front(),
         .completes = true,
         .value = configuration_.default_reward,
         .missing = {decisions.begin(), decisions.end()}});
  reports_.emplace_back([count = decisions.size()](JournalObserver& observer) {
    observer.expired(EventPhase::kMissing, count);
  });
}

StoreBatch& BatchWork::batch() {
  batch_.events.clear();
  batch_.states.clear();
  batch_.events.reserve(touched_.size());
  for (const auto& [id, event] : touched_) {
    const EventState& state = event.state;
    if (event.ranked != nullptr) {
      batch_.events.emplace_back(
          id, IndexedEvent{state.decision, state.time, state.fingerprint, event.deferred});
    }
    if (event.changed) batch_.states.emplace_back(state.decision, state);
  }
  return batch_;
}

}  // namespace sau::detail
