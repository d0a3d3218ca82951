#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/time_text.hpp"
#include "sau/model/joint_features.hpp"

namespace sau {

// The chance of a decision whose log has none.
inline constexpr double kNoChance = std::numeric_limits<double>::quiet_NaN();

// One decision of a log and the reward that followed. A view of a ChoiceBatch.
struct LoggedChoice {
  HashedFeatures context = {};
  std::span<const OfferedAction> actions = {};
  std::size_t chosen = 0;  // place among the actions
  double chance = 0.0;     // of the chosen action, when it was chosen; NaN if the log has none
  // Of every action; empty if the log has at most that of the chosen one.
  std::span<const double> chances = {};
  double reward = 0.0;
  // How many decisions it stands for: 1 / (1 - pdrop), if others were left out of the log by
  // chance.
  double importance = 1.0;
  std::uint64_t line = 0;  // of the file, or number of the record
  Milliseconds time = 0;   // 0 if the log has none
  // The values of the features by which results are divided, in the order they were asked for.
  std::span<const std::string> segments = {};

  std::size_t offered() const noexcept {
    std::size_t count = 0;
    for (const OfferedAction& action : actions) count += action.excluded ? 0 : 1;
    return count;
  }
};

// Decisions that were read together. All their features and ids are in a few arrays, which keep
// their memory when the batch is used again.
//
// To add a decision: put the features of its context into features() and call end_context(); then,
// for each action, put in its features and call add_action(); then call end(). Call finish() after
// the last decision.
class ChoiceBatch {
 public:
  struct Outcome {
    std::size_t chosen = 0;
    double chance = 0.0;
    bool all_chances = false;  // those given to add_action() are the logged ones
    double reward = 0.0;
    double importance = 1.0;
    std::uint64_t line = 0;
    Milliseconds time = 0;
  };

  void clear();
  std::vector<HashedFeature>& features() noexcept { return features_; }
  void end_context();
  void add_action(std::string_view id, bool excluded, double chance = 0.0);
  // The actions of this decision are these, which must outlive the batch, instead of those added.
  void share_actions(std::span<const OfferedAction> actions) { shared_ = actions; }
  void add_segment(std::string value) { segments_.push_back(std::move(value)); }
  void end(const Outcome& outcome);
  // Drops the decision that was begun, and counts it under this reason.
  void skip(const std::string& reason, std::uint64_t count = 1);
  void finish();

  std::size_t size() const noexcept { return choices_.size(); }
  LoggedChoice operator[](std::size_t i) const noexcept;
  const std::map<std::string, std::uint64_t>& skipped() const noexcept { return skipped_; }

 private:
  struct StoredAction {
    std::size_t id = 0, id_length = 0;  // in ids_
    std::size_t first = 0, last = 0;    // of its features
    bool excluded = false;
  };
  struct Stored {
    Outcome outcome;
    std::size_t context_first = 0, context_last = 0;
    std::size_t first = 0, last = 0;  // of its actions
    std::size_t segments_first = 0, segments_last = 0;
    std::span<const OfferedAction> shared;
  };
  void begin();

  std::vector<HashedFeature> features_;
  std::string ids_;
  std::vector<StoredAction> actions_;
  std::vector<double> chances_;  // one per action of actions_
  std::vector<std::string> segments_;
  std::vector<OfferedAction> offered_;  // views of the above; made by finish()
  std::vector<Stored> choices_;
  std::span<const OfferedAction> shared_;
  Stored now_;
  std::map<std::string, std::uint64_t> skipped_;
};

}  // namespace sau
