#pragma once

#include <vector>

#include "sau/core/argmax_probabilities.hpp"
#include "sau/core/stack_memory.hpp"
#include "sau/explore/joint_strategy.hpp"

namespace sau {

struct JointSauSamplingOptions {
  double alpha = 1.0;
  std::uint64_t actions = kUsualActions;
  void fields(auto&& field) {
    field("alpha", alpha, "scale of the standard deviation; 1 in the paper",
          Bounds{.min = 0.0, .open = true});
    field("actions", actions, kActionsHelp, kActionsBounds);
  }
};

// SAU-Sampling (Zhu & Rigotti 2021, eq. 8) over the actions offered: the probability that the draw
// of an action is the largest of Normal(mu(x, a), variance alpha^2 S2_a / n_a^2), by quadrature. No
// opening: see JointOffer.
class JointSauSampling {
 public:
  static constexpr std::string_view kName = "sau_sampling";
  static constexpr std::string_view kSummary =
      "SAU-Sampling: the largest of Normal(value, S2_a / n_a^2) draws (eq. 8)";
  using Options = JointSauSamplingOptions;

  explicit JointSauSampling(Options options = {}) : options_(options) {}

  void probabilities(const JointOffer& offer, std::span<double> out) const {
    StackMemory<2048> memory;
    std::pmr::vector<NormalMarginal> marginals(out.size(), memory.resource());
    for (std::size_t a = 0; a < out.size(); ++a) {
      marginals[a] = {offer.value[a], options_.alpha * offer.spread[a]};
    }
    argmax_probabilities(marginals, out);
  }

 private:
  Options options_;
};

}  // namespace sau
