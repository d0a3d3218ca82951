#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/types.hpp"
#include "sau/model/by_ids.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

// A model of the catalogue without its type, for a committee or a bootstrap. Most models have one
// opinion on an action. A model may have several: neural_linear has its network's and its
// regression's.

// Of a fixed set of actions. A plain value used by one thread.
class AnyModel {
 public:
  virtual ~AnyModel() = default;

  virtual std::size_t opinions() const noexcept = 0;
  // What opinion i is called within the model; empty if it is the only one.
  virtual std::string_view opinion_name(std::size_t i) const noexcept = 0;
  // The values by each opinion: opinions x actions, row-major.
  virtual void values(Context x, std::span<double> out) noexcept = 0;
  // The values that the model itself answers with: one per action.
  virtual void own_values(Context x, std::span<double> out) noexcept = 0;
  // The rewards it can learn from.
  virtual RewardRange rewards() const noexcept = 0;
  virtual void update(Context x, Action action, double reward) noexcept = 0;
  // What went wrong for good; empty while all is well.
  virtual std::string fault() const = 0;
  virtual std::unique_ptr<AnyModel> clone() const = 0;
  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
};

// Of actions that come and go: what decides, and what learns (see JointModel).
class AnyJointWeights {
 public:
  virtual ~AnyJointWeights() = default;
  // The value of every action.
  virtual void values(HashedFeatures context, std::span<const JointAction> actions,
                      std::span<double> out) const = 0;
};

class AnyJointModel {
 public:
  virtual ~AnyJointModel() = default;

  virtual const AnyJointWeights& weights() const noexcept = 0;
  virtual std::shared_ptr<const AnyJointWeights> published() = 0;
  virtual void learn(HashedFeatures context, const JointAction& action, double reward) = 0;
  virtual std::string fault() const = 0;
  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
};

// These are defined in the catalogue, which knows all models. They throw UsageError for a model
// that does not exist, or one that cannot be a member of a committee.

// Models as text, joined by +, in canonical form.
std::string canonical_models(std::string_view models);
std::unique_ptr<AnyModel> make_model(std::string_view spec, const Setup& setup);
std::unique_ptr<AnyJointModel> make_joint_model(std::string_view spec, const Stream& stream,
                                                const IdOptions& ids);

// M as an AnyModel.
template <ValueModel M>
class ModelOf final : public AnyModel {
 public:
  ModelOf(const Setup& setup, const typename M::Options& options)
      : model_(setup, options), actions_(setup.shape.actions) {}

  std::size_t opinions() const noexcept override {
    if constexpr (kSeveral) return M::kOpinions.size();
    return 1;
  }
  std::string_view opinion_name(std::size_t i) const noexcept override {
    if constexpr (kSeveral) return M::kOpinions[i];
    return i == 0 ? "" : "?";
  }
  void values(Context x, std::span<double> out) noexcept override {
    const auto copy = [&](std::size_t i, std::span<const double> from) {
      for (std::size_t a = 0; a < from.size(); ++a) out[i * actions_ + a] = from[a];
    };
    if constexpr (kSeveral) {
      for (std::size_t i = 0; i < M::kOpinions.size(); ++i) copy(i, model_.opinion(i, x));
    } else {
      copy(0, model_.values(x));
    }
  }
  void own_values(Context x, std::span<double> out) noexcept override {
    std::ranges::copy(model_.values(x), out.begin());
  }
  RewardRange rewards() const noexcept override { return M::kRewards; }
  void update(Context x, Action action, double reward) noexcept override {
    model_.update(x, action, reward);
  }
  std::string fault() const override {
    if constexpr (Fallible<M>) return model_.fault();
    return {};
  }
  std::unique_ptr<AnyModel> clone() const override { return std::make_unique<ModelOf>(*this); }
  void save(StateWriter& writer) const override { M::state(model_, writer); }
  void load(StateReader& reader) override {
    M::state(model_, reader);
    if constexpr (requires { model_.restored(); }) model_.restored();
  }

 private:
  static constexpr bool kSeveral = requires { M::kOpinions; };

  M model_;
  std::size_t actions_;
};

// A joint model as an AnyJointModel.
template <JointModel M>
class JointModelOf final : public AnyJointModel {
 public:
  template <class... Arguments>
  explicit JointModelOf(Arguments&&... arguments)
      : model_(std::forward<Arguments>(arguments)...), live_(model_.weights()) {}
  JointModelOf(const JointModelOf&) = delete;
  JointModelOf& operator=(const JointModelOf&) = delete;

  const AnyJointWeights& weights() const noexcept override { return live_; }
  std::shared_ptr<const AnyJointWeights> published() override {
    return std::make_shared<Copy>(model_.published());
  }
  void learn(HashedFeatures context, const JointAction& action, double reward) override {
    model_.learn(context, action, reward);
  }
  std::string fault() const override { return model_.fault(); }
  void save(StateWriter& writer) const override { model_.save(writer); }
  void load(StateReader& reader) override { model_.load(reader); }

 private:
  using Weights = typename M::Weights;

  // The weights as they are now.
  class Live final : public AnyJointWeights {
   public:
    explicit Live(const Weights& weights) : weights_(weights) {}
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const override {
      weights_.values(context, actions, out);
    }

   private:
    const Weights& weights_;
  };
  // The weights as they were.
  class Copy final : public AnyJointWeights {
   public:
    explicit Copy(Weights weights) : weights_(std::move(weights)) {}
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const override {
      weights_.values(context, actions, out);
    }

   private:
    Weights weights_;
  };

  M model_;
  Live live_;
};

}  // namespace sau
