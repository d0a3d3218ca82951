#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sau/core/setup.hpp"
#include "sau/core/types.hpp"
#include "sau/model/change_watch.hpp"
#include "sau/model/joint_restarting.hpp"
#include "sau/model/renewable.hpp"

namespace sau {

// A model that starts anew, with the strategy, when the world has changed (ChangeWatch).
//
// This class is for a fixed set of actions; for actions that come and go it is JointRestarting.
class Restarting {
 public:
  static constexpr std::string_view kName = JointRestarting::kName;
  static constexpr std::string_view kSummary = JointRestarting::kSummary;
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards = JointRestarting::kRewards;
  using Options = RestartingOptions;
  using ForIds = JointRestarting;

  explicit Restarting(const Setup& setup, const Options& options = {});

  std::span<const double> values(Context x) noexcept { return model_->values(x); }

  void update(Context x, Action action, double reward) noexcept;

  bool take_restart() noexcept { return model_.take_restart(); }
  std::uint64_t restarts() const noexcept { return watch_.restarts(); }

  std::string fault() const { return model_->fault(); }

  static void state(const Restarting& self, StateWriter& writer);
  static void state(Restarting& self, StateReader& reader);

 private:
  ChangeWatch watch_;
  Renewable model_;
};

}  // namespace sau
