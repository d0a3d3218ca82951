#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/setup.hpp"
#include "sau/core/types.hpp"
#include "sau/model/bootstrap_options.hpp"
#include "sau/model/joint_bootstrap.hpp"
#include "sau/model/members.hpp"

namespace sau {

// Several copies of one model, each of which learns from its own resample of the rewards. Their
// spread says how sure the model is. With thompson, a choice is the best action of a member drawn
// at random (Eckles & Kaptein 2014; Osband & Van Roy 2015); with lin_ucb the width is the standard
// deviation of their predictions.
//
// This class is for a fixed set of actions; for actions that come and go it is JointBootstrap.
class Bootstrap {
 public:
  static constexpr std::string_view kName = JointBootstrap::kName;
  static constexpr std::string_view kSummary = JointBootstrap::kSummary;
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards = JointBootstrap::kRewards;
  using Options = BootstrapOptions;
  using ForIds = JointBootstrap;

  explicit Bootstrap(const Setup& setup, const Options& options = {});

  // The mean over the members.
  std::span<const double> values(Context x) noexcept {
    look(x);
    return value_;
  }
  std::span<const double> widths(Context x) noexcept {
    look(x);
    return spread_;
  }
  // The predictions of one member, drawn at random.
  std::span<const double> sample(Context x, Rng& rng) noexcept {
    look(x);
    return std::span<const double>(opinion_).subspan(rng.below(members_.size()) * value_.size(),
                                                     value_.size());
  }
  std::vector<MemberMarginal> marginals(Context x);

  void update(Context x, Action action, double reward) noexcept;

  // Of the first member that has one.
  std::string fault() const;

  static void state(const Bootstrap& self, StateWriter& writer);
  static void state(Bootstrap& self, StateReader& reader);

 private:
  // Asks all members about x, if they must be asked.
  void look(Context x) noexcept;

  Members members_;
  Rng rng_;
  std::vector<double> opinion_;  // members x actions
  std::vector<double> value_, spread_;
};

}  // namespace sau
