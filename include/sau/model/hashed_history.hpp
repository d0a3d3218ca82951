#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/model/joint_model.hpp"

namespace sau {

// One reward, with the features of its context and its action.
struct HashedEvent {
  std::vector<HashedFeature> features;  // of the context, then of the action
  std::uint32_t context = 0;            // how many of them are the context's
  double reward = 0.0;

  HashedFeatures context_features() const noexcept {
    return HashedFeatures(features).first(context);
  }
  JointAction action() const noexcept { return {HashedFeatures(features).subspan(context)}; }
};

// The latest events: at most `limit` of them, with at most kMostFeatures features in all (16 bytes
// each), the oldest first.
class HashedHistory {
 public:
  static constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 24U;

  explicit HashedHistory(std::uint64_t limit) : limit_(limit) {}

  void add(HashedFeatures context, const JointAction& action, double reward);

  // Drops the oldest events, so that at most `count` are left.
  void keep_latest(std::uint64_t count);

  std::size_t size() const noexcept { return events_.size(); }
  const HashedEvent& operator[](std::size_t i) const noexcept { return events_[i]; }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  void drop_oldest();

  std::uint64_t limit_;
  std::uint64_t features_ = 0;
  std::deque<HashedEvent> events_;
};

}  // namespace sau
