#include "cluster/stream_order.hpp"

#include <algorithm>
#include <utility>

#include "cluster/message.hpp"
#include "serve/batch_work.hpp"

namespace sau::detail {

void RecentAnswers::add(Entry entry) {
  const std::lock_guard lock(mutex_);
  const std::string id = entry.answer.event_id;
  if (!entries_.emplace(id, std::move(entry)).second) return;
  order_.push_back(id);
  if (order_.size() <= kKept) return;
  entries_.erase(order_.front());
  order_.pop_front();
}

std::optional<RecentAnswers::Entry> RecentAnswers::find(const std::string& event_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(event_id);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

Status StreamOrder::read_to(std::uint64_t number, std::string_view bytes) {
  // At the first call, and if the stream was lost and made again.
  if (next_ == 0 || next_ > number + kBefore) next_ = number - std::min(number - 1, kBefore);
  for (; next_ < number; ++next_) {
    const auto message = read_(next_);
    if (!message.ok()) return message.failure();
    if (message.value()) add(message.value()->bytes);
  }
  // One that was shipped again has its old number.
  if (next_ == number) {
    add(bytes);
    ++next_;
  }
  return Done{};
}

void StreamOrder::add(std::string_view message) {
  const auto batch = decode_shipped(message);
  if (!batch.ok()) return;
  for (const std::string& record : batch.value().records) {
    auto spooled = decode_spooled(record);
    if (!spooled.ok()) continue;
    const auto* const shipped = std::get_if<SpooledDecision>(&spooled.value());
    if (shipped == nullptr) continue;
    const auto decision = decode_decision(shipped->record);
    if (!decision.ok()) continue;
    auto answer = answer_of(decision.value());
    if (answer.ok()) firsts_.add({decision.value().fingerprint, std::move(answer).value()});
  }
}

}  // namespace sau::detail
