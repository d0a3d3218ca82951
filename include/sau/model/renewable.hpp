#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sau/core/rng.hpp"
#include "sau/core/setup.hpp"
#include "sau/model/any_model.hpp"
#include "sau/model/joint_model.hpp"

namespace sau {

// What models that forget have in common: a model inside that can start anew, together with the
// strategy.

// For a fixed set of actions. `owner` is the model that has it, for error messages.
class Renewable {
 public:
  Renewable(std::string_view owner, const std::string& spec, const Setup& setup);
  Renewable(const Renewable& other);
  Renewable(Renewable&&) noexcept = default;
  Renewable& operator=(const Renewable& other) { return *this = Renewable(other); }
  Renewable& operator=(Renewable&&) noexcept = default;
  ~Renewable() = default;

  AnyModel* operator->() noexcept { return model_.get(); }
  const AnyModel* operator->() const noexcept { return model_.get(); }

  // Forgets everything. If there is no memory for that, nothing changes, and it returns false.
  bool renew() noexcept;
  // Whether it has started anew. The strategy asks once after every reward.
  bool take_restart() noexcept { return std::exchange(renewed_, false); }

  void save(StateWriter& writer) const { model_->save(writer); }
  void load(StateReader& reader) {
    model_->load(reader);
    renewed_ = false;
  }

 private:
  std::unique_ptr<AnyModel> fresh_, model_;  // as it was at first, and as it is
  bool renewed_ = false;
};

// For actions that come and go.
class JointRenewable {
 public:
  // What a decision needs.
  class Weights {
   public:
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const {
      model_->values(context, actions, out);
    }

   private:
    friend class JointRenewable;
    std::shared_ptr<const AnyJointWeights> model_;
  };

  JointRenewable(std::string_view owner, std::string spec, const Stream& stream,
                 const IdOptions& ids);

  AnyJointModel* operator->() noexcept { return model_.get(); }
  const AnyJointModel* operator->() const noexcept { return model_.get(); }
  const Weights& weights() const noexcept { return weights_; }
  Weights published();
  // The value of one action.
  double value(HashedFeatures context, const JointAction& action) const;

  void renew();
  bool take_restart() noexcept { return std::exchange(renewed_, false); }

  void save(StateWriter& writer) const { model_->save(writer); }
  void load(StateReader& reader) {
    model_->load(reader);
    renewed_ = false;
  }

 private:
  void start();

  Stream stream_;
  std::string spec_;
  IdOptions ids_;
  std::unique_ptr<AnyJointModel> model_;
  Weights weights_;
  bool renewed_ = false;
};

}  // namespace sau
