// Agents of models whose steps take longer than a virtual call: one instance per strategy.
#include "catalog/explore_list.hpp"
#include "catalog/model_entry.hpp"
#include "sau/agent/agent_of.hpp"

namespace sau {

std::unique_ptr<AnyAgent> make_handle_agent(std::unique_ptr<AnyModel> model, RewardRange rewards,
                                            std::string_view name, const FixedAgentPlan& plan) {
  using Result = std::unique_ptr<AnyAgent>;
  const Spec& strategy = plan.strategy;
  return with_named(Strategies{}, "strategy", strategy.name, [&]<class S>() -> Result {
    return std::make_unique<AgentOf<ModelHandle, S>>(
        AgentFacts{.spec = plan.canonical,
                   .shape = plan.setup.shape,
                   .rewards = rewards_with<S>(rewards),
                   .learner = std::string(strictest<S>(name, rewards))},
        ModelHandle(std::move(model)),
        S(plan.setup, read_options<typename S::Options>(S::kName, strategy.params)));
  });
}

}  // namespace sau
