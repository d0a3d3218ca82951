#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/model/any_model.hpp"

namespace sau {

// An agent as text: model+strategy, or model+strategy+ids.
struct AgentSpec {
  Spec model, strategy;
  std::optional<Spec> ids = {};
};

// A strategy as text, for a fixed set of actions, and what is said about its agent.
struct FixedAgentPlan {
  std::string canonical;  // spec of the agent
  Spec strategy;
  Setup setup;
};

// A model of the catalogue with every strategy that fits it, as functions of text. The catalogue
// knows its models only in this form, so that each is compiled in its own file.
struct ModelEntry {
  ComponentInfo info;
  bool uses_context = false;
  bool joint = false;  // made for actions that come and go
  RewardRange rewards;
  std::vector<std::string> strategies;  // that fit, in the order of the catalogue

  // These throw UsageError for settings that do not exist.
  std::string (*write_model)(const Params&) = nullptr;
  std::unique_ptr<AnyModel> (*make_model)(const Params&, const Setup&) = nullptr;
  std::unique_ptr<AnyJointModel> (*make_joint_model)(const Params&, const Stream&,
                                                     const IdOptions&) = nullptr;
  // Only of a model whose steps are so cheap that a virtual call would show: the agent of one of
  // its strategies on the concrete types. Other models share make_handle_agent().
  std::unique_ptr<AnyAgent> (*make_agent)(const Params&, const FixedAgentPlan&) = nullptr;
};

template <class M>
ModelEntry model_entry();

// An agent of any model, with a strategy that fits it. The rewards and the name are the model's.
std::unique_ptr<AnyAgent> make_handle_agent(std::unique_ptr<AnyModel> model, RewardRange rewards,
                                            std::string_view name, const FixedAgentPlan& plan);

}  // namespace sau
