#include "sau/model/restarting.hpp"

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
      model_(kName, options.model, setup) {}

void Restarting::update(Context x, Action action, double reward) noexcept {
  const double number =
      watch_.number_to_test(reward, !x.empty(), [&] { return values(x)[action]; });
  model_->update(x, action, reward);
  // Without memory it goes on as it is, and is tested again.
  if (watch_.changed(action, number) && model_.renew()) watch_.restart();
}

void Restarting::state(const Restarting& self, StateWriter& writer) {
  self.watch_.save(writer);
  self.model_.save(writer);
}

void Restarting::state(Restarting& self, StateReader& reader) {
  self.watch_.load(reader);
  self.model_.load(reader);
}

JointRestarting::JointRestarting(const Stream& stream, const Options& options, const IdOptions& ids)
    : tests_(ids.outputs), watch_(options, 0, false), model_(kName, options.model, stream, ids) {}

void JointRestarting::learn(HashedFeatures context, const JointAction& action, double reward) {
  const double number = watch_.number_to_test(reward, !context.empty(),
                                              [&] { return model_.value(context, action); });
  model_->learn(context, action, reward);
  const std::uint32_t test = tests_.add(action.features.front().hash);
  watch_.grow(tests_.size());
  if (!watch_.changed(test, number)) return;
  model_.renew();
  watch_.restart();
}

void JointRestarting::save(StateWriter& writer) const {
  tests_.save(writer, "tested_ids");
  watch_.save(writer);
  model_.save(writer);
}

void JointRestarting::load(StateReader& reader) {
  tests_.load(reader, "tested_ids");
  watch_.grow(tests_.size());
  watch_.load(reader);
  model_.load(reader);
}

}  // namespace sau
