#include "sau/model/members.hpp"

#include <algorithm>

#include "sau/core/error.hpp"
#include "sau/core/spec.hpp"
#include "sau/model/committee_options.hpp"

namespace sau {

Members::Members(const Members& other)
    : setup_(other.setup_), latest_(other.latest_), fresh_(other.fresh_) {
  for (const auto& model : other.models_) models_.push_back(model->clone());
}

AnyModel& Members::add(std::string_view spec) {
  models_.push_back(make_model(
      spec, {.shape = setup_.shape, .stream = member_stream(setup_.stream, models_.size())}));
  return *models_.back();
}

bool Members::must_ask(Context x) noexcept {
  if (fresh_ && std::ranges::equal(x, latest_)) return false;
  std::ranges::copy(x, latest_.begin());
  return fresh_ = true;
}

void Members::save(StateWriter& writer) const {
  for (const auto& model : models_) model->save(writer);
}

void Members::load(StateReader& reader) {
  for (const auto& model : models_) model->load(reader);
  fresh_ = false;
}

AnyJointModel& JointMembers::add(std::string_view spec, const Stream& stream,
                                 const IdOptions& ids) {
  models_.push_back(make_joint_model(spec, member_stream(stream, models_.size()), ids));
  return *models_.back();
}

JointMembers::Weights JointMembers::weights() const {
  Weights views;
  for (const auto& model : models_) {
    views.emplace_back(&model->weights(), [](const AnyJointWeights*) {});
  }
  return views;
}

JointMembers::Weights JointMembers::published() {
  Weights copies;
  for (const auto& model : models_) copies.push_back(model->published());
  return copies;
}

void JointMembers::save(StateWriter& writer) const {
  for (const auto& model : models_) model->save(writer);
}

void JointMembers::load(StateReader& reader) {
  for (const auto& model : models_) model->load(reader);
}

std::string one_model(std::string_view owner, const std::string& spec) {
  std::string model = canonical_models(spec);
  if (split_specs(model, '+').size() == 1) return model;
  throw UsageError(std::string(owner) + ": model=\"" + model +
                   "\" is not allowed; expected one model");
}

void require_every_reward(std::string_view owner, std::string_view spec, RewardRange rewards) {
  if (rewards.contains(RewardRange{})) return;
  throw UsageError(std::string(owner) + ": " + std::string(spec) +
                   " does not learn from every reward; expected a model that does");
}

}  // namespace sau
