#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/model/committee_options.hpp"
#include "sau/model/credibility.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/members.hpp"

namespace sau {

// A committee for actions that come and go. Opinions are judged over all actions together: a new id
// has no errors yet, and the errors on ids that are gone say nothing.
class JointCommittee {
 public:
  static constexpr std::string_view kName = "committee";
  static constexpr std::string_view kSummary =
      "several models, each believed as far as its errors allow";
  static constexpr RewardRange kRewards{};
  using Options = CommitteeOptions;

  // What members=usual stands for.
  static constexpr std::string_view kUsualMembers = "hashed_linear(relative=true)+hashed_mlp";

  // What a decision needs.
  class Weights {
   public:
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const {
      judge(context, actions, out, {});
    }
    // The standard deviation of the members' predictions, and of what they do not know.
    void disagreement(HashedFeatures context, std::span<const JointAction> actions,
                      std::span<double> out) const {
      judge(context, actions, {}, out);
    }
    void widths(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const {
      disagreement(context, actions, out);
    }

    // Fills value, disagreement, or both: a span that is empty is not filled.
    void judge(HashedFeatures context, std::span<const JointAction> actions,
               std::span<double> value, std::span<double> disagreement) const;

    std::vector<MemberRecord> members() const;

   private:
    friend class JointCommittee;
    explicit Weights(std::size_t members) : credibility_(members, 0), fault_(members) {}

    JointMembers::Weights members_;
    Credibility credibility_;
    std::vector<std::string> spec_;
    std::vector<std::string> fault_;  // why a member is left out
  };

  JointCommittee(const Stream& stream, const Options& options, const IdOptions& ids);

  const Weights& weights() const noexcept { return weights_; }
  Weights published();

  void learn(HashedFeatures context, const JointAction& action, double reward);

  std::string fault() const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  JointMembers members_;
  Weights weights_;
  std::vector<double> opinion_;  // on the action being learned from
};

}  // namespace sau
