#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/setup.hpp"
#include "sau/core/types.hpp"
#include "sau/model/committee_options.hpp"
#include "sau/model/credibility.hpp"
#include "sau/model/joint_committee.hpp"
#include "sau/model/members.hpp"

namespace sau {

// Several models that learn from the same rewards. The value of an action is the mean of their
// predictions, weighted by their errors (Credibility); at first it is the prediction of the first
// member. How much they disagree is offered to strategies: SAU adds a bonus for it, and lin_ucb
// takes it as the width.
//
// This class is for a fixed set of actions; for actions that come and go it is JointCommittee.
//
// A member that fails, or whose numbers are no longer finite, is left out, and a note says so. The
// committee itself fails once no member is left.
class Committee {
 public:
  static constexpr std::string_view kName = JointCommittee::kName;
  static constexpr std::string_view kSummary = JointCommittee::kSummary;
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards = JointCommittee::kRewards;
  using Options = CommitteeOptions;
  using ForIds = JointCommittee;

  // What members=usual stands for.
  static constexpr std::string_view kUsualMembers =
      "linear(lambda=0.25)+linear(lambda=20,intercept=true)"
      "+neural_linear(standardise=true,lambda=1)+random_features";
  // The same for contexts of more than kWide columns. Regressions on all columns would cost more
  // than the network. A unit of the network adds up more columns, so it needs smaller steps.
  static constexpr std::size_t kWide = 200;
  static constexpr std::string_view kWideMembers =
      "linear(lambda=0.25,columns=256)+linear(lambda=20,intercept=true,columns=400)"
      "+neural_linear(lr=0.001,standardise=true,lambda=1)+random_features";

  explicit Committee(const Setup& setup, const Options& options = {});

  std::span<const double> values(Context x) noexcept {
    look(x);
    return value_;
  }
  // The standard deviation of the members' predictions, and of what they do not know.
  std::span<const double> disagreement(Context x) noexcept {
    look(x);
    return disagreement_;
  }
  std::span<const double> widths(Context x) noexcept { return disagreement(x); }

  void update(Context x, Action action, double reward) noexcept;

  std::string fault() const;

  // One record per opinion, in the order of the members.
  std::vector<MemberRecord> members() const;

  static void state(const Committee& self, StateWriter& writer);
  static void state(Committee& self, StateReader& reader);

 private:
  struct Opinion {
    std::size_t member;
    std::string name;
  };

  // Asks all members about x, if they must be asked.
  void look(Context x) noexcept;
  void leave_out_failed() noexcept;

  Members members_;
  std::vector<Opinion> opinions_;
  Credibility credibility_;

  std::vector<double> opinion_;  // opinions x actions
  std::vector<double> novelty_;  // the same; 0 for a member that does not know it
  std::vector<double> value_, disagreement_;
  std::vector<double> played_;  // opinions on the action being learned from
};

}  // namespace sau
