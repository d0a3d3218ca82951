#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/model/change_watch.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/numbering.hpp"
#include "sau/model/renewable.hpp"

namespace sau {

// A restarting model for actions that come and go. Every id has its own test, as many as a dense
// model may have outputs; further ids share them. Rewards themselves are tested until the first
// context comes that has features.
class JointRestarting {
 public:
  static constexpr std::string_view kName = "restarting";
  static constexpr std::string_view kSummary =
      "a model that starts anew when a test says that the world has changed";
  static constexpr RewardRange kRewards{};
  using Options = RestartingOptions;
  using Weights = JointRenewable::Weights;

  JointRestarting(const Stream& stream, const Options& options, const IdOptions& ids);

  const Weights& weights() const noexcept { return model_.weights(); }
  Weights published() { return model_.published(); }

  void learn(HashedFeatures context, const JointAction& action, double reward);

  bool take_restart() noexcept { return model_.take_restart(); }
  std::uint64_t restarts() const noexcept { return watch_.restarts(); }

  std::string fault() const { return model_->fault(); }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  Numbering tests_;  // of the ids
  ChangeWatch watch_;
  JointRenewable model_;
};

}  // namespace sau
