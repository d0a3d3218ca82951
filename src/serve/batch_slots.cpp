#include <fmt/format.h>

#include <utility>

#include "serve/batch_work.hpp"
#include "serve/slots_request.hpp"

namespace sau::detail {
namespace {

Failure other_request(const std::string& event_id) {
  return {Failure::Code::kConflict,
          fmt::format("the event id '{}' was used for another request", event_id), "eventId"};
}

}  // namespace

Result<SlotsAnswer> BatchWork::answer_again(const SlotsOperation& operation, Sequence first) const {
  const std::string& event_id = operation.slots.front().answer.event_id;
  const auto decision_of = [&](Sequence sequence) -> Result<Decision> {
    auto found = store_.read([&](const EventStore& store) { return store.decision(sequence); });
    if (!found.ok()) return found.failure();
    if (found.value()) return std::move(*found.value());
    // The decision is in this very batch, so it cannot be read yet.
    return Failure{Failure::Code::kOverloaded, "the same event was sent twice at once; try again"};
  };
  const auto logged = decision_of(first);
  if (!logged.ok()) return logged.failure();
  const LoggedSlots before = logged_slots(logged.value().request);
  if (before.ids != operation.slot_ids || before.fingerprint != operation.fingerprint) {
    return other_request(event_id);
  }
  SlotsAnswer answer{.slots = {}, .event_id = event_id};
  for (std::size_t i = 0; i < operation.slots.size(); ++i) {
    const auto state = event(operation.slots[i].answer.event_id);
    if (!state.ok()) return state.failure();
    if (!state.value()) {
      return other_request(event_id);
    }
    const auto decision = decision_of(state.value()->decision);
    if (!decision.ok()) return decision.failure();
    const auto ranked = answer_of(decision.value());
    if (!ranked.ok()) return ranked.failure();
    answer.slots.push_back(
        {operation.slot_ids[i], ranked.value().ranking[ranked.value().chosen].id});
  }
  return answer;
}

void BatchWork::add(SlotsOperation& operation) {
  for (std::size_t i = 0; i < operation.slots.size(); ++i) {
    const std::string& id = operation.slots[i].answer.event_id;
    const auto known = event(id);
    if (!known.ok()) return refuse(operation.done, known.failure());
    if (!known.value()) continue;
    if (i > 0) {
      return refuse(operation.done, other_request(id));
    }
    answers_.emplace_back(
        [done = operation.done, answer = answer_again(operation, known.value()->decision)] {
          done(answer);
        });
    return;
  }
  SlotsAnswer answer{.slots = {}, .event_id = operation.slots.front().answer.event_id};
  for (std::size_t i = 0; i < operation.slots.size(); ++i) {
    const RankAnswer& ranked = operation.slots[i].answer;
    answer.slots.push_back({operation.slot_ids[i], ranked.ranking[ranked.chosen].id});
    start(operation.slots[i]);
  }
  answers_.emplace_back([done = operation.done, answer = std::move(answer)] { done(answer); });
}

void BatchWork::add(GroupOperation& operation) {
  for (const auto& part : operation.parts) {
    const std::string& id =
        std::visit([](const auto& each) -> const std::string& { return each.event_id; }, part);
    const auto known = event(id);
    if (!known.ok()) return refuse(operation.done, known.failure());
    if (known.value()) continue;
    return refuse(operation.done,
                  {Failure::Code::kNotFound, fmt::format("there is no event '{}'", id), "eventId"});
  }
  for (auto& part : operation.parts) std::visit([this](auto& each) { add(each); }, part);
  answers_.emplace_back([done = operation.done] { done(Done{}); });
}

}  // namespace sau::detail
