#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "catalog/explore_list.hpp"
#include "catalog/model_entry.hpp"
#include "catalog/offer_agent_of.hpp"
#include "sau/agent/agent_of.hpp"
#include "sau/model/any_model.hpp"
#include "sau/model/by_ids.hpp"
#include "sau/model/on_columns.hpp"

namespace sau {

// What plays a fixed set of actions: the model itself, or a joint model on the context's columns.
template <class M>
using FixedModel = std::conditional_t<JointModel<M>, OnColumns<M>, M>;

namespace detail {

// Calls f.operator()<S>(model options, strategy options) for the strategy named.
template <class Result, class M, class F>
Result with_strategy(const AgentSpec& spec, F&& f) {
  return with_named(Strategies{}, "strategy", spec.strategy.name, [&]<class S>() -> Result {
    const auto model = read_options<typename M::Options>(M::kName, spec.model.params);
    const auto strategy = read_options<typename S::Options>(S::kName, spec.strategy.params);
    if constexpr (Explores<S, M>) {
      return f.template operator()<S>(model, strategy);
    } else {
      throw UsageError(std::string(S::kName) + " needs " + std::string(S::kNeeds) + "; " +
                       std::string(M::kName) + " is not one");
    }
  });
}

template <class M, class... S>
std::vector<std::string> fitting_strategies(TypeList<S...>) {
  std::vector<std::string> result;
  const auto consider = [&]<class Candidate>() {
    if constexpr (Explores<Candidate, M>) result.emplace_back(Candidate::kName);
  };
  (consider.template operator()<S>(), ...);
  return result;
}

template <class M>
std::string write_agent(const AgentSpec& spec) {
  return with_strategy<std::string, M>(spec, []<class S>(const auto& model, const auto& strategy) {
    return write_spec(M::kName, model) + "+" + write_spec(S::kName, strategy);
  });
}

template <class M>
std::unique_ptr<AnyAgent> make_fixed(const AgentSpec& spec, const Setup& setup) {
  using Result = std::unique_ptr<AnyAgent>;
  return with_strategy<Result, M>(spec, [&]<class S>(const auto& model, const auto& strategy) {
    using Fixed = FixedModel<M>;
    return std::make_unique<AgentOf<Fixed, S>>(write_agent<M>(spec), setup.shape,
                                               Fixed(setup, model), S(setup, strategy));
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
  if constexpr (plays_by_ids<M>()) {
    return with_joint_arguments<M>(stream, options, ids, [](const auto&... arguments) -> Result {
      return std::make_unique<JointModelOf<ModelByIds<M>>>(arguments...);
    });
  } else {
    throw UsageError(std::string(M::kName) + " needs a fixed set of actions");
    return Result{};
  }
}

template <class M>
std::unique_ptr<OfferAgent> make_for_ids(const AgentSpec& spec, const std::string& canonical,
                                         const Stream& stream) {
  using Result = std::unique_ptr<OfferAgent>;
  const auto ids = read_options<IdOptions>("ids", spec.ids ? spec.ids->params : Params{});
  return with_strategy<Result, M>(spec, [&]<class S>(const auto& model, const auto& strategy) {
    if constexpr (plays_by_ids<S>() && plays_by_ids<M>()) {
      S rule({.shape = {.actions = 1}, .stream = {}}, strategy);
      if constexpr (requires { rule.check_by_ids(); }) rule.check_by_ids();
      using Joint = ModelByIds<M>;
      return with_joint_arguments<M>(stream, model, ids, [&](const auto&... arguments) -> Result {
        return std::make_unique<OfferAgentOf<Joint, S>>(canonical, Joint(arguments...), rule, ids);
      });
    } else {
      throw UsageError(std::string(plays_by_ids<S>() ? M::kName : S::kName) +
                       " needs a fixed set of actions; it cannot play actions by id");
      return Result{};
    }
  });
}

}  // namespace detail

template <class M>
ModelEntry model_entry() {
  return {.info = {.name = std::string(M::kName),
                   .summary = std::string(M::kSummary),
                   .settings = describe_options<typename M::Options>(),
                   .fits = {},
                   .by_ids = plays_by_ids<M>()},
          .uses_context = FixedModel<M>::kUsesContext,
          .joint = JointModel<M>,
          .rewards = FixedModel<M>::kRewards,
          .strategies = detail::fitting_strategies<M>(Strategies{}),
          .write = detail::write_agent<M>,
          .make = detail::make_fixed<M>,
          .write_model = detail::write_model<M>,
          .make_model = detail::make_model<M>,
          .make_joint_model = detail::make_joint_model<M>,
          .make_for_ids = detail::make_for_ids<M>};
}

}  // namespace sau
