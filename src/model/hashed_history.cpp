#include "sau/model/hashed_history.hpp"

#include <limits>
#include <utility>

#include "sau/core/error.hpp"

namespace sau {

void HashedHistory::add(HashedFeatures context, const JointAction& action, double reward) {
  HashedEvent event;
  event.features.reserve(context.size() + action.features.size());
  event.features.assign(context.begin(), context.end());
  event.features.insert(event.features.end(), action.features.begin(), action.features.end());
  event.context = static_cast<std::uint32_t>(context.size());
  event.reward = reward;
  features_ += event.features.size();
  events_.push_back(std::move(event));
  keep_latest(limit_);
  while (features_ > kMostFeatures && events_.size() > 1) drop_oldest();
}

void HashedHistory::keep_latest(std::uint64_t count) {
  while (events_.size() > count) drop_oldest();
}

void HashedHistory::drop_oldest() {
  features_ -= events_.front().features.size();
  events_.pop_front();
}

// Column by column: a feature in memory has padding, whose bytes are undefined.
void HashedHistory::save(StateWriter& writer) const {
  std::vector<std::uint32_t> context, total;
  std::vector<double> reward;
  std::vector<std::uint64_t> hash;
  std::vector<float> value;
  for (const HashedEvent& event : events_) {
    context.push_back(event.context);
    total.push_back(static_cast<std::uint32_t>(event.features.size()));
    reward.push_back(event.reward);
    for (const HashedFeature& feature : event.features) {
      hash.push_back(feature.hash);
      value.push_back(feature.value);
    }
  }
  writer("history_context", context);
  writer("history_features", total);
  writer("history_rewards", reward);
  writer("history_hashes", hash);
  writer("history_values", value);
}

void HashedHistory::load(StateReader& reader) {
  const auto context = reader.take_vector<std::uint32_t>("history_context");
  const auto total = reader.take_vector<std::uint32_t>("history_features");
  const auto reward = reader.take_vector<double>("history_rewards");
  const auto hash = reader.take_vector<std::uint64_t>("history_hashes");
  const auto value = reader.take_vector<float>("history_values");
  std::uint64_t features = 0;
  for (const std::uint32_t count : total) features += count;
  if (total.size() != context.size() || reward.size() != context.size() ||
      hash.size() != features || value.size() != features || context.size() > limit_) {
    throw Error("its history is damaged");
  }
  std::deque<HashedEvent> events;
  std::size_t next = 0;
  for (std::size_t i = 0; i < context.size(); ++i) {
    if (context[i] > total[i]) throw Error("its history is damaged");
    HashedEvent event{.features = {}, .context = context[i], .reward = reward[i]};
    for (std::uint32_t k = 0; k < total[i]; ++k, ++next) {
      event.features.push_back({.hash = hash[next], .value = value[next]});
    }
    events.push_back(std::move(event));
  }
  events_ = std::move(events);
  features_ = features;
}

}  // namespace sau
