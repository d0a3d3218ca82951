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

// A model of the catalogue with every strategy that fits it, as functions of text. The catalogue
// knows its models only in this form, so that each is compiled in its own file.
struct ModelEntry {
  ComponentInfo info;
  bool uses_context = false;
  bool joint = false;  // made for actions that come and go
  RewardRange rewards;
  std::vector<std::string> strategies;  // that fit, in the order of the catalogue

  // These throw UsageError for a strategy that does not fit and for settings that do not exist.
  // `write` leaves the ids out.
  std::string (*write)(const AgentSpec&) = nullptr;
  std::unique_ptr<AnyAgent> (*make)(const AgentSpec&, const Setup&) = nullptr;
  // The model alone, as a member of a committee; nullptr if it cannot be one.
  std::string (*write_model)(const Params&) = nullptr;
  std::unique_ptr<AnyModel> (*make_model)(const Params&, const Setup&) = nullptr;
  std::unique_ptr<AnyJointModel> (*make_joint_model)(const Params&, const Stream&,
                                                     const IdOptions&) = nullptr;
  std::unique_ptr<OfferAgent> (*make_for_ids)(const AgentSpec&, const std::string& canonical,
                                              const Stream&) = nullptr;
};

template <class M>
ModelEntry model_entry();

}  // namespace sau
