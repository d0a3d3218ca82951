#include "sau/model/restarting.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "sau/core/error.hpp"

namespace sau {

void RestartingOptions::check() {
  model = canonical_models(model);
  if (split_specs(model, '+').size() != 1) {
    throw UsageError("restarting: model=\"" + model + "\" is not allowed; expected one model");
  }
}

Restarting::Restarting(const Setup& setup, const Options& options)
    : options_(options),
      plain_(setup.shape.dim == 0 ? 1 : 0),
      fresh_(make_model(options.model, setup)),
      model_(fresh_->clone()),
      detectors_(setup.shape.actions),
      value_(setup.shape.actions) {
  if (!fresh_->rewards().contains(kRewards)) {
    throw UsageError("restarting: " + options.model +
                     " does not learn from every reward; expected a model that does");
  }
}

Restarting::Restarting(const Restarting& other)
    : options_(other.options_),
      plain_(other.plain_),
      scale_(other.scale_),
      fresh_(other.fresh_->clone()),
      model_(other.model_->clone()),
      detectors_(other.detectors_),
      value_(other.value_),
      restarts_(other.restarts_),
      restarted_(other.restarted_) {}

void Restarting::update(Context x, Action action, double reward) noexcept {
  const double tested = number_to_test(x, action, reward);
  model_->update(x, action, reward);
  ChangeDetector& detector = detectors_[action];
  detector.add(tested);
  if (detector.count() % options_.every != 0) return;
  if (!detector.changed(options_.delta, plain_ == 0)) return;
  try {
    model_ = fresh_->clone();
  } catch (const std::bad_alloc&) {  // it goes on as it is, and is tested again
    return;
  }
  for (ChangeDetector& each : detectors_) each.restart();
  ++restarts_;
  restarted_ = true;
}

double Restarting::number_to_test(Context x, Action action, double reward) noexcept {
  if (plain_ != 0 && reward >= 0.0 && reward <= 1.0) return reward;
  // A record moves the scale of all numbers, so the tests begin anew.
  const double residual = reward - values(x)[action];
  if (plain_ != 0 || std::abs(residual) > scale_) {
    plain_ = 0;
    scale_ = kRoom * std::max(std::abs(residual), scale_);
    for (ChangeDetector& each : detectors_) each.restart();
  }
  return scale_ > 0.0 ? 0.5 + 0.5 * residual / scale_ : 0.5;
}

void Restarting::state(const Restarting& self, StateWriter& writer) {
  writer("restarts", self.restarts_);
  writer("plain", self.plain_);
  writer("scale", self.scale_);
  for (const ChangeDetector& detector : self.detectors_) ChangeDetector::state(detector, writer);
  self.model_->save(writer);
}

void Restarting::state(Restarting& self, StateReader& reader) {
  reader("restarts", self.restarts_);
  reader("plain", self.plain_);
  reader("scale", self.scale_);
  for (ChangeDetector& detector : self.detectors_) {
    ChangeDetector::state(detector, reader);
    if (!detector.valid()) throw Error("its record of rewards is damaged");
  }
  self.model_->load(reader);
  self.restarted_ = false;
}

}  // namespace sau
