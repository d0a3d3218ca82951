#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/model/any_model.hpp"
#include "sau/model/change_watch.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/numbering.hpp"

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

  // What a decision needs.
  class Weights {
   public:
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const {
      model_->values(context, actions, out);
    }

   private:
    friend class JointRestarting;
    std::shared_ptr<const AnyJointWeights> model_;
  };

  JointRestarting(const Stream& stream, const Options& options, const IdOptions& ids);

  const Weights& weights() const noexcept { return weights_; }
  Weights published();

  void learn(HashedFeatures context, const JointAction& action, double reward);

  // Whether the last learn() was a restart. For the strategy, which asks once.
  bool take_restart() noexcept { return std::exchange(restarted_, false); }
  std::uint64_t restarts() const noexcept { return watch_.restarts(); }

  std::string fault() const { return model_->fault(); }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  void start();

  Stream stream_;
  std::string spec_;
  IdOptions ids_;
  Numbering tests_;  // of the ids
  ChangeWatch watch_;
  std::unique_ptr<AnyJointModel> model_;
  Weights weights_;
  bool restarted_ = false;
};

}  // namespace sau
