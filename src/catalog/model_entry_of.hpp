#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "catalog/explore_list.hpp"
#include "catalog/model_entry.hpp"
#include "sau/agent/agent_of.hpp"
#include "sau/model/any_model.hpp"
#include "sau/model/by_ids.hpp"
#include "sau/model/on_columns.hpp"

namespace sau {

// What plays a fixed set of actions: the model itself, or a joint model on the context's columns.
template <class M>
using FixedModel = std::conditional_t<JointModel<M>, OnColumns<M>, M>;

namespace detail {

template <class M, class... S>
std::vector<std::string> fitting_strategies(TypeList<S...>) {
  std::vector<std::string> result;
  const auto consider = [&]<class Candidate>() {
    if constexpr (Explores<Candidate, M>) result.emplace_back(Candidate::kName);
  };
  (consider.template operator()<S>(), ...);
  return result;
}

// The agent of a model on the concrete types.
template <class M>
std::unique_ptr<AnyAgent> make_concrete_agent(const Params& params, const FixedAgentPlan& plan) {
  using Result = std::unique_ptr<AnyAgent>;
  const Spec& strategy = plan.strategy;
  return with_named(Strategies{}, "strategy", strategy.name, [&]<class S>() -> Result {
    if constexpr (Explores<S, M>) {
      return std::make_unique<AgentOf<M, S>>(
          plan.canonical, plan.setup.shape,
          M(plan.setup, read_options<typename M::Options>(M::kName, params)),
          S(plan.setup, read_options<typename S::Options>(S::kName, strategy.params)));
    } else {
      return nullptr;  // the catalogue has refused it
    }
  });
}

// The model for actions that come and go.
template <class M>
auto joint_model_type() {
  if constexpr (JointModel<M>) {
    return std::type_identity<M>{};
  } else if constexpr (requires { typename M::ForIds; }) {
    return std::type_identity<typename M::ForIds>{};
  } else {
    return std::type_identity<ByIds<M>>{};
  }
}
template <class M>
using ModelByIds = typename decltype(joint_model_type<M>())::type;

// Calls make(arguments) with what the model's constructor needs.
template <class M, class Make>
auto with_joint_arguments(const Stream& stream, const typename M::Options& options,
                          const IdOptions& ids, Make&& make) {
  if constexpr (JointModel<M>) {
    return make(stream, options);
  } else {
    return make(stream, options, ids);
  }
}

template <class M>
std::string write_model(const Params& params) {
  return write_spec(M::kName, read_options<typename M::Options>(M::kName, params));
}

template <class M>
std::unique_ptr<AnyModel> make_model(const Params& params, const Setup& setup) {
  return std::make_unique<ModelOf<FixedModel<M>>>(
      setup, read_options<typename M::Options>(M::kName, params));
}

template <class M>
std::unique_ptr<AnyJointModel> make_joint_model(const Params& params, const Stream& stream,
                                                const IdOptions& ids) {
  const auto options = read_options<typename M::Options>(M::kName, params);
  using Result = std::unique_ptr<AnyJointModel>;
  return with_joint_arguments<M>(stream, options, ids, [](const auto&... arguments) -> Result {
    return std::make_unique<JointModelOf<ModelByIds<M>>>(arguments...);
  });
}

template <class M>
constexpr bool has_cheap_steps() {
  if constexpr (requires { M::kCheapSteps; }) {
    return M::kCheapSteps;
  } else {
    return false;
  }
}

}  // namespace detail

template <class M>
ModelEntry model_entry() {
  ModelEntry entry{.info = {.name = std::string(M::kName),
                            .summary = std::string(M::kSummary),
                            .settings = describe_options<typename M::Options>(),
                            .fits = {}},
                   .uses_context = FixedModel<M>::kUsesContext,
                   .joint = JointModel<M>,
                   .rewards = FixedModel<M>::kRewards,
                   .strategies = detail::fitting_strategies<M>(Strategies{}),
                   .write_model = detail::write_model<M>,
                   .make_model = detail::make_model<M>,
                   .make_joint_model = detail::make_joint_model<M>};
  if constexpr (detail::has_cheap_steps<M>()) entry.make_agent = detail::make_concrete_agent<M>;
  return entry;
}

}  // namespace sau
