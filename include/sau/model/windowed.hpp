#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/relearned.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/types.hpp"
#include "sau/model/joint_windowed.hpp"
#include "sau/model/renewable.hpp"

namespace sau {

// A model that has learned from the latest rewards only. After `window` rewards the oldest
// window / parts of them are dropped, the model starts anew and learns the others again. The
// strategy does the same (relearned()), so the agent is as if it had started with the oldest reward
// that is left.
//
// This class is for a fixed set of actions; for actions that come and go it is JointWindowed.
class Windowed {
 public:
  static constexpr std::string_view kName = JointWindowed::kName;
  static constexpr std::string_view kSummary = JointWindowed::kSummary;
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards = JointWindowed::kRewards;
  using Options = WindowedOptions;
  using ForIds = JointWindowed;

  explicit Windowed(const Setup& setup, const Options& options = {});

  std::span<const double> values(Context x) noexcept { return model_->values(x); }

  void update(Context x, Action action, double reward) noexcept;

  bool take_restart() noexcept { return model_.take_restart(); }
  // What it has learned since it started anew; for the strategy, after take_restart().
  std::span<const Relearned> relearned() const noexcept {
    return std::span(lessons_).first(count_);
  }

  std::string fault() const { return model_->fault(); }

  static void state(const Windowed& self, StateWriter& writer);
  static void state(Windowed& self, StateReader& reader);

 private:
  void move_window() noexcept;

  std::size_t window_, dropped_, dim_;
  Action actions_;
  Renewable model_;
  // Oldest first. Of the full size from the start, so that nothing is allocated later.
  std::vector<Relearned> lessons_;  // window
  std::vector<double> contexts_;    // window x dim
  std::size_t count_ = 0;           // of lessons; below the window
};

}  // namespace sau
