#include <algorithm>
#include <span>

#include "serve/batch_work.hpp"
#include "serve/journal.hpp"

// The part of the journal that knows which events wait for a reward, and ends their waiting time.
namespace sau::detail {
namespace {

// How many events one batch expires at most: lists of plain ones, and others, which have to be
// looked up.
constexpr std::size_t kExpiredList = 256, kExpiredLists = 8, kExpiredOthers = 64;
constexpr std::size_t kSlotsSeen = 8192;
// Settled slots are removed only at the front, until there are this many more than open ones.
constexpr std::size_t kSlack = 4096;

}  // namespace

std::optional<Milliseconds> Journal::until_deadline() const {
  if (stalled_ || slots_.empty() || options_.fed) return std::nullopt;
  if (overdue_) return 0;
  const Milliseconds wait = configuration_.get()->reward_wait_time;
  return clock_.end_of_wait(slots_.front().time, wait) - clock_.time() + 1;
}

Journal::Slot* Journal::slot_of(Sequence decision) {
  const auto slot = std::ranges::lower_bound(
      slots_, decision, {}, [](const Slot& each) { return Sequence{each.decision}; });
  return slot != slots_.end() && slot->decision == decision ? &*slot : nullptr;
}

void Journal::update_slots(const BatchWork& work) {
  for (const WaitingDecision& each : work.started()) slots_.emplace_back(each);
  for (const Sequence decision : work.changed()) {
    if (Slot* const slot = slot_of(decision)) slot->plain = false;
  }
  for (const Sequence decision : work.settled()) {
    if (Slot* const slot = slot_of(decision)) slot->settled = true;
  }
  while (!slots_.empty() && slots_.front().settled) slots_.pop_front();
  open_.fetch_add(work.started().size() - work.settled().size(), std::memory_order_release);
  if (slots_.size() > 2 * (waiting() + kSlack)) {
    std::erase_if(slots_, [](const Slot& each) { return each.settled; });
  }
}

void Journal::finish_expiring() {
  do {
    BatchWork work(store_, *configuration_.get(), last_, clock_, &early_);
    expire(work);
    if (!work.batch().empty()) write(work, false, false);
    answer(work);
  } while (overdue_);
}

void Journal::expire(BatchWork& work) {
  const auto waits = [this, wait = configuration_.get()->reward_wait_time](const Slot& slot) {
    return clock_.end_of_wait(slot.time, wait) >= clock_.time();
  };
  overdue_ = stalled_ = false;
  if (slots_.empty() || waits(slots_.front())) return;
  // This batch may already have settled or changed some of these events.
  const auto in_order = [](std::vector<Sequence> decisions) {
    std::ranges::sort(decisions);
    return decisions;
  };
  const auto settled = in_order(work.settled()), changed = in_order(work.changed());
  std::vector<Sequence> plain;
  std::size_t others = 0, seen = 0;
  for (const Slot& slot : slots_) {
    if (waits(slot)) break;
    // What a fed journal expires must not depend on which settled slots are still here.
    overdue_ = (++seen >= kSlotsSeen && !options_.fed) ||
               plain.size() == kExpiredList * kExpiredLists || others == kExpiredOthers;
    if (overdue_) break;
    if (slot.settled || std::ranges::binary_search(settled, slot.decision)) continue;
    if (slot.plain && !std::ranges::binary_search(changed, slot.decision)) {
      plain.push_back(slot.decision);
      continue;
    }
    ++others;
    if (const auto failure = work.expire(slot.decision)) {
      // The events after it do not wait for it.
      if (failure->message != last_unexpired_) {
        options_.note("an event could not be completed: " + failure->message);
      }
      last_unexpired_ = failure->message;
      stalled_ = true;
    }
  }
  // Settled slots behind an event that cannot be completed must not use up every scan.
  if (seen >= kSlotsSeen) {
    const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(seen);
    slots_.erase(std::remove_if(slots_.begin(), end, [](const Slot& each) { return each.settled; }),
                 end);
  }
  for (std::size_t i = 0; i < plain.size(); i += kExpiredList) {
    work.expire_plain(std::span(plain).subspan(i, std::min(kExpiredList, plain.size() - i)));
  }
}

}  // namespace sau::detail
