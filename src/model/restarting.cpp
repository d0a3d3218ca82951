#include "sau/model/restarting.hpp"

#include <new>

#include "sau/core/error.hpp"
#include "sau/model/members.hpp"

namespace sau {

void RestartingOptions::check() { model = one_model(JointRestarting::kName, model); }

void ChangeWatch::save(StateWriter& writer) const {
  writer("restarts", restarts_);
  writer("plain", plain_);
  writer("scale", scale_);
  for (const ChangeDetector& detector : detectors_) ChangeDetector::state(detector, writer);
}

void ChangeWatch::load(StateReader& reader) {
  reader("restarts", restarts_);
  reader("plain", plain_);
  reader("scale", scale_);
  for (ChangeDetector& detector : detectors_) {
    ChangeDetector::state(detector, reader);
    if (!detector.valid()) throw Error("its record of rewards is damaged");
  }
}

Restarting::Restarting(const Setup& setup, const Options& options)
    : watch_(options, setup.shape.actions, setup.shape.dim > 0),
      fresh_(make_model(options.model, setup)),
      model_(fresh_->clone()) {
  require_every_reward(kName, options.model, fresh_->rewards());
}

Restarting::Restarting(const Restarting& other)
    : watch_(other.watch_),
      fresh_(other.fresh_->clone()),
      model_(other.model_->clone()),
      restarted_(other.restarted_) {}

void Restarting::update(Context x, Action action, double reward) noexcept {
  const double number =
      watch_.number_to_test(reward, !x.empty(), [&] { return values(x)[action]; });
  model_->update(x, action, reward);
  if (!watch_.changed(action, number)) return;
  try {
    model_ = fresh_->clone();
  } catch (const std::bad_alloc&) {  // it goes on as it is, and is tested again
    return;
  }
  watch_.restart();
  restarted_ = true;
}

void Restarting::state(const Restarting& self, StateWriter& writer) {
  self.watch_.save(writer);
  self.model_->save(writer);
}

void Restarting::state(Restarting& self, StateReader& reader) {
  self.watch_.load(reader);
  self.model_->load(reader);
  self.restarted_ = false;
}

JointRestarting::JointRestarting(const Stream& stream, const Options& options, const IdOptions& ids)
    : stream_(stream),
      spec_(options.model),
      ids_(ids),
      tests_(ids.outputs),
      watch_(options, 0, false) {
  start();
  require_every_reward(kName, spec_, model_->rewards());
}

void JointRestarting::start() {
  model_ = make_joint_model(spec_, stream_, ids_);
  // A view: the model lives as long as this one uses it.
  weights_.model_ = {&model_->weights(), [](const AnyJointWeights*) {}};
}

JointRestarting::Weights JointRestarting::published() {
  Weights copy;
  copy.model_ = model_->published();
  return copy;
}

void JointRestarting::learn(HashedFeatures context, const JointAction& action, double reward) {
  const double number = watch_.number_to_test(reward, !context.empty(), [&] {
    double value = 0.0;
    weights_.values(context, {&action, 1}, {&value, 1});
    return value;
  });
  model_->learn(context, action, reward);
  const std::uint32_t test = tests_.add(action.features.front().hash);
  watch_.grow(tests_.size());
  if (!watch_.changed(test, number)) return;
  start();
  watch_.restart();
  restarted_ = true;
}

void JointRestarting::save(StateWriter& writer) const {
  tests_.save(writer, "tested_ids");
  watch_.save(writer);
  model_->save(writer);
}

void JointRestarting::load(StateReader& reader) {
  tests_.load(reader, "tested_ids");
  watch_.grow(tests_.size());
  watch_.load(reader);
  model_->load(reader);
  restarted_ = false;
}

}  // namespace sau
