#include "sau/model/renewable.hpp"

#include <new>

#include "sau/model/members.hpp"

namespace sau {

Renewable::Renewable(std::string_view owner, const std::string& spec, const Setup& setup)
    : fresh_(make_model(spec, setup)), model_(fresh_->clone()) {
  require_every_reward(owner, spec, fresh_->rewards());
}

Renewable::Renewable(const Renewable& other)
    : fresh_(other.fresh_->clone()), model_(other.model_->clone()), renewed_(other.renewed_) {}

bool Renewable::renew() noexcept {
  try {
    model_ = fresh_->clone();
  } catch (const std::bad_alloc&) {
    return false;
  }
  renewed_ = true;
  return true;
}

JointRenewable::JointRenewable(std::string_view owner, std::string spec, const Stream& stream,
                               const IdOptions& ids)
    : stream_(stream), spec_(std::move(spec)), ids_(ids) {
  start();
  require_every_reward(owner, spec_, model_->rewards());
}

void JointRenewable::start() {
  model_ = make_joint_model(spec_, stream_, ids_);
  // A view: the model lives as long as this one uses it.
  weights_.model_ = {&model_->weights(), [](const AnyJointWeights*) {}};
}

void JointRenewable::renew() {
  start();
  renewed_ = true;
}

JointRenewable::Weights JointRenewable::published() {
  Weights copy;
  copy.model_ = model_->published();
  return copy;
}

double JointRenewable::value(HashedFeatures context, const JointAction& action) const {
  double value = 0.0;
  weights_.values(context, {&action, 1}, {&value, 1});
  return value;
}

}  // namespace sau
