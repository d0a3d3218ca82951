#include "serve/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "serve/decide.hpp"
#include "serve/slots_request.hpp"

namespace sau::detail {

void Slots::rank(std::string_view body, const Answer<SlotsAnswer>& answer) {
  if (auto failure = journal_.closed()) return answer(std::move(*failure));
  auto read = SlotsRequest::read(body, limits_);
  if (!read.ok()) return answer(read.failure());
  SlotsRequest& request = read.value();
  if (request.event_id().empty()) request.set_event_id(ids_.next());
  SlotsOperation operation{
      .slot_ids = {}, .slots = {}, .fingerprint = request.fingerprint(), .done = answer};
  // One model and one configuration for all slots.
  const auto model = learner_.published();
  const auto configuration = configuration_.get();
  RequestLimits limits = limits_;
  limits.body_bytes *= 2;  // excluded actions are listed again
  ++limits.depth;          // a slot's features are in a namespace of their own
  for (std::size_t i = 0; i < request.size(); ++i) {
    std::string slot_body = request.rank_body(i);
    auto slot = read_rank_request(slot_body, limits);
    if (!slot.ok()) return answer(request.own_failure(slot.failure(), i));
    slot.value().event_id = decision_id(request.event_id(), request.slot_id(i), i == 0);
    RankOperation ranked = decide(std::move(slot).value(), std::move(slot_body), *configuration,
                                  *model, settings_.seed);
    request.take(ranked.answer.ranking[ranked.answer.chosen].id);
    operation.slot_ids.push_back(request.slot_id(i));
    operation.slots.push_back(std::move(ranked));
  }
  journal_.submit(std::move(operation));
}

Result<std::vector<std::string>> Slots::slots_of(std::string_view event_id) const {
  const auto decision =
      store_.read([&](const EventStore& store) -> Result<std::optional<Decision>> {
        const auto state = store.event(event_id);
        if (!state.ok()) return state.failure();
        if (!state.value()) return std::optional<Decision>();
        return store.decision(state.value()->decision);
      });
  if (!decision.ok()) return decision.failure();
  if (!decision.value()) {
    return Failure{Failure::Code::kNotFound,
                   fmt::format("there is no event '{}'", event_id.substr(0, 256)), "eventId"};
  }
  auto slots = logged_slots(decision.value()->request).ids;
  if (slots.empty()) {
    return Failure{Failure::Code::kBadRequest,
                   fmt::format("the event '{}' has no slots: use /events", event_id), "eventId",
                   "InvalidMultiSlotApiAccess"};
  }
  return slots;
}

void Slots::reward(std::string_view event_id, std::string_view body, const Answer<Done>& answer) {
  const auto rewards = read_slot_rewards(body);
  if (!rewards.ok()) return answer(rewards.failure());
  const auto slots = slots_of(event_id);
  if (!slots.ok()) return answer(slots.failure());
  GroupOperation operation{.parts = {}, .done = answer};
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < rewards.value().size(); ++i) {
    const auto& [slot, value] = rewards.value()[i];
    const auto found = std::ranges::find(slots.value(), slot);
    if (found == slots.value().end()) {
      return answer(Failure{Failure::Code::kBadRequest,
                            fmt::format("the event has no slot '{}'", slot.substr(0, 256)),
                            fmt::format("reward[{}].slotId", i)});
    }
    const auto bounded = bounded_reward(value, *configuration_.get());
    if (!bounded.ok()) {
      metrics_.refused_reward();
      Failure failure = bounded.failure();
      failure.target = fmt::format("reward[{}].value", i);
      return answer(std::move(failure));
    }
    if (bounded.value() != value) ++clipped;
    operation.parts.emplace_back(
        RewardOperation{decision_id(std::string(event_id), slot, found == slots.value().begin()),
                        bounded.value(), [](const Status&) {}});
  }
  if (clipped > 0) {
    operation.done = [this, clipped, answer](const Status& status) {
      for (std::size_t i = 0; status.ok() && i < clipped; ++i) metrics_.clipped_reward();
      answer(status);
    };
  }
  journal_.submit(std::move(operation));
}

void Slots::activate(std::string_view event_id, const Answer<Done>& answer) {
  const auto slots = slots_of(event_id);
  if (!slots.ok()) return answer(slots.failure());
  GroupOperation operation{.parts = {}, .done = answer};
  for (const std::string& slot : slots.value()) {
    operation.parts.emplace_back(
        ActivateOperation{decision_id(std::string(event_id), slot, slot == slots.value().front()),
                          [](const Status&) {}});
  }
  journal_.submit(std::move(operation));
}

}  // namespace sau::detail
