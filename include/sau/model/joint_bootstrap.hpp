#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/model/bootstrap_options.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/members.hpp"

namespace sau {

// A bootstrap for actions that come and go.
class JointBootstrap {
 public:
  static constexpr std::string_view kName = "bootstrap";
  static constexpr std::string_view kSummary =
      "copies of one model, each learning from its own resample of the rewards";
  static constexpr RewardRange kRewards{};
  using Options = BootstrapOptions;

  // What a decision needs.
  class Weights {
   public:
    // The mean over the members.
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const;
    // Their standard deviation.
    void widths(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const;
    std::vector<MemberMarginal> marginals(HashedFeatures context,
                                          std::span<const JointAction> actions) const;

   private:
    friend class JointBootstrap;
    // members x actions
    std::vector<double> opinions(HashedFeatures context,
                                 std::span<const JointAction> actions) const;

    JointMembers::Weights members_;
  };

  JointBootstrap(const Stream& stream, const Options& options, const IdOptions& ids);

  const Weights& weights() const noexcept { return weights_; }
  Weights published();

  void learn(HashedFeatures context, const JointAction& action, double reward);

  std::string fault() const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  JointMembers members_;
  Rng rng_;
  Weights weights_;
};

}  // namespace sau
