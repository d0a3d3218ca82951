#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "serve/batch_work.hpp"

namespace sau::detail {
namespace {

// How long a reward waits for its decision, which may be in the spool of a node that is down.
constexpr Milliseconds kEarlyKept = 24LL * 60 * 60 * 1000;

}  // namespace

// The part of BatchWork that is about messages of a stream.
void BatchWork::add(FeedOperation& operation) {
  const auto outcome = std::make_shared<FeedOperation::Outcome>();
  for (auto& [key, value] : operation.rows) {
    batch_.rows.emplace_back(std::move(key), std::move(value));
  }
  const Milliseconds wait = std::max(configuration_.reward_wait_time, kEarlyKept);
  outcome->dropped = early_->drop(
      [this, wait](Milliseconds time) { return clock_.end_of_wait(time, wait) < now_; }, batch_);
  const auto apply = [&](EarlyRewards::Item item) {
    if (item.activates) {
      ActivateOperation activation{std::move(item.event_id), [](const Status&) {}};
      add(activation);
    } else {
      RewardOperation reward{std::move(item.event_id), item.value, [](const Status&) {}};
      add(reward);
    }
  };
  // Throws if the store cannot be read, so that the whole batch is given up.
  const auto known = [&](const std::string& id) { return good(event(id)).has_value(); };
  const auto reward_or_activation = [&](EarlyRewards::Item item) {
    if (known(item.event_id)) return apply(std::move(item));
    ++outcome->early;
    early_->add(std::move(item), batch_);
  };
  for (auto& part : operation.parts) {
    std::visit(
        [&](auto& each) {
          using Part = std::remove_cvref_t<decltype(each)>;
          if constexpr (std::is_same_v<Part, RankOperation>) {
            const std::string id = each.answer.event_id;
            if (known(id)) {
              ++outcome->repeated;
              each.done = [outcome, id,
                           chosen = each.answer.chosen](const Result<RankAnswer>& first) {
                if (first.ok() && first.value().chosen == chosen) return;
                ++outcome->contradicting;
                outcome->contradiction = id;
              };
              return add(each);
            }
            ++outcome->decisions;
            each.done = [](const Result<RankAnswer>&) {};
            add(each);
            for (EarlyRewards::Item& item : early_->take(id, batch_)) apply(std::move(item));
          } else if constexpr (std::is_same_v<Part, RewardOperation>) {
            reward_or_activation({now_, std::move(each.event_id), false, each.value});
          } else if constexpr (std::is_same_v<Part, ActivateOperation>) {
            reward_or_activation({now_, std::move(each.event_id), true, 0.0});
          } else if constexpr (std::is_same_v<Part, ConfigureOperation>) {
            each.done = [outcome](const Result<Configuration>& configured) {
              if (!configured.ok()) ++outcome->refused;
            };
            add(each);
          } else {
            each.done = [](const Status&) {};
            add(each);
          }
        },
        part);
  }
  answers_.emplace_back([outcome, done = operation.done] { done(*outcome); });
}

}  // namespace sau::detail
