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
#include "sau/core/error.hpp"
#include "sau/core/relearned.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/types.hpp"
#include "sau/model/by_ids.hpp"
#include "sau/model/committee_options.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/model_knowledge.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

// A model of the catalogue without its type. Most models have one opinion on an action. A model may
// have several: neural_linear has its network's and its regression's.

// For a fixed set of actions. A plain value used by one thread. widths(), sample() and
// best_chances() may only be called if the model has them (WidthModel, PosteriorModel).
class AnyModel {
 public:
  virtual ~AnyModel() = default;

  virtual std::size_t opinions() const noexcept = 0;
  // What opinion i is called within the model; empty if it is the only one.
  virtual std::string_view opinion_name(std::size_t i) const noexcept = 0;
  // The values by each opinion: opinions x actions, row-major.
  virtual void opinion_values(Context x, std::span<double> out) noexcept = 0;
  // The values that the model itself answers with.
  virtual std::span<const double> values(Context x) noexcept = 0;
  // Empty for a model that is no committee.
  virtual std::span<const double> disagreement(Context x) noexcept = 0;
  virtual std::span<const double> widths(Context x) noexcept = 0;
  // Empty for a model that has none (see NoveltyModel).
  virtual std::span<const double> novelty(Context x) noexcept = 0;
  virtual std::span<const double> sample(Context x, Rng& rng) noexcept = 0;
  // For every action, the chance that its draw is the largest in a sample().
  virtual void best_chances(Context x, std::span<double> out) = 0;
  // The rewards it can learn from.
  virtual RewardRange rewards() const noexcept = 0;
  virtual void update(Context x, Action action, double reward) noexcept = 0;
  // Whether the last update() made it start anew. True only for the first call after that.
  virtual bool take_restart() noexcept = 0;
  // What it has learned since it started anew. Call it right after such an update().
  virtual std::span<const Relearned> relearned() const noexcept = 0;
  // The members of a committee; empty for other models.
  virtual std::vector<MemberRecord> members() const = 0;
  // As in model_knowledge.hpp.
  virtual std::vector<double> uncertainty(Context x) = 0;
  virtual bool linear() const noexcept = 0;
  virtual void describe(const ColumnFunction& column) const = 0;
  // What went wrong for good; empty while all is well.
  virtual std::string fault() const = 0;
  virtual std::unique_ptr<AnyModel> clone() const = 0;
  virtual void save(StateWriter& writer) const = 0;
  virtual void load(StateReader& reader) = 0;
};

// For actions that come and go: the part that decides, and the part that learns (see JointModel).
class AnyJointWeights {
 public:
  virtual ~AnyJointWeights() = default;
  // The value of every action.
  virtual void values(HashedFeatures context, std::span<const JointAction> actions,
                      std::span<double> out) const = 0;
  // Whether these are the weights of a committee. Then they have judge(), which also says how much
  // the members differ.
  virtual bool disagrees() const noexcept = 0;
  virtual void judge(HashedFeatures context, std::span<const JointAction> actions,
                     std::span<double> value, std::span<double> disagreement) const = 0;
  // If the model has them.
  virtual void widths(HashedFeatures context, std::span<const JointAction> actions,
                      std::span<double> out) const = 0;
  // Returns false and leaves `out` as it is for a model that has none.
  virtual bool novelty(HashedFeatures context, std::span<const JointAction> actions,
                       std::span<double> out) const = 0;
  virtual void best_chances(HashedFeatures context, std::span<const JointAction> actions,
                            std::span<double> out) const = 0;
  virtual std::vector<MemberRecord> members() const = 0;
};

class AnyJointModel {
 public:
  virtual ~AnyJointModel() = default;

  virtual const AnyJointWeights& weights() const noexcept = 0;
  virtual std::shared_ptr<const AnyJointWeights> published() = 0;
  // The rewards it can learn from.
  virtual RewardRange rewards() const noexcept = 0;
  virtual void learn(HashedFeatures context, const JointAction& action, double reward) = 0;
  // Whether it can start anew at all, and whether the last learn() made it do so. The second is
  // true only for the first call after that.
  virtual bool can_restart() const noexcept = 0;
  virtual bool take_restart() noexcept = 0;
  virtual std::span<const Relearned> relearned() const noexcept = 0;
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
  void opinion_values(Context x, std::span<double> out) noexcept override {
    const auto copy = [&](std::size_t i, std::span<const double> from) {
      for (std::size_t a = 0; a < from.size(); ++a) out[i * actions_ + a] = from[a];
    };
    if constexpr (kSeveral) {
      for (std::size_t i = 0; i < M::kOpinions.size(); ++i) copy(i, model_.opinion(i, x));
    } else {
      copy(0, model_.values(x));
    }
  }
  std::span<const double> values(Context x) noexcept override { return model_.values(x); }
  std::span<const double> disagreement(Context x) noexcept override {
    if constexpr (DisagreementModel<M>) return model_.disagreement(x);
    return {};
  }
  std::span<const double> widths(Context x) noexcept override {
    if constexpr (WidthModel<M>) return model_.widths(x);
    SAU_ASSERT(false, "a model without widths");
    return {};
  }
  std::span<const double> novelty(Context x) noexcept override {
    if constexpr (NoveltyModel<M>) return model_.novelty(x);
    return {};
  }
  std::span<const double> sample(Context x, Rng& rng) noexcept override {
    if constexpr (PosteriorModel<M>) return model_.sample(x, rng);
    SAU_ASSERT(false, "a model without a posterior");
    return {};
  }
  void best_chances(Context x, std::span<double> out) override {
    if constexpr (PosteriorModel<M>) return argmax_probabilities(model_.marginals(x), out);
    SAU_ASSERT(false, "a model without a posterior");
  }
  bool take_restart() noexcept override {
    if constexpr (requires { model_.take_restart(); }) return model_.take_restart();
    return false;
  }
  std::span<const Relearned> relearned() const noexcept override {
    if constexpr (requires { model_.relearned(); }) return model_.relearned();
    return {};
  }
  std::vector<MemberRecord> members() const override {
    if constexpr (requires { model_.members(); }) return model_.members();
    return {};
  }
  std::vector<double> uncertainty(Context x) override { return model_uncertainty(model_, x); }
  bool linear() const noexcept override { return is_linear<M>(); }
  void describe(const ColumnFunction& column) const override {
    if constexpr (requires { model_.describe(column); }) model_.describe(column);
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

// A model without its type as a value model, so that agents of models whose steps take long are
// compiled once for all of them.
class ModelHandle {
 public:
  static constexpr std::string_view kName = "model";
  static constexpr std::string_view kSummary = "any model of the catalogue";
  static constexpr bool kStandsForOthers = true;
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards{};
  struct Options {
    std::string model = "linear";
  };
  // The distributions that sample() draws from.
  struct Marginals {
    AnyModel& model;
    Context x;
    friend void argmax_probabilities(const Marginals& marginals, std::span<double> out) {
      marginals.model.best_chances(marginals.x, out);
    }
  };

  ModelHandle(const Setup& setup, const Options& options)
      : ModelHandle(make_model(options.model, setup)) {}
  explicit ModelHandle(std::unique_ptr<AnyModel> model) : model_(std::move(model)) {}
  ModelHandle(const ModelHandle& other) : model_(other.model_->clone()) {}
  ModelHandle(ModelHandle&&) noexcept = default;
  ModelHandle& operator=(const ModelHandle& other) { return *this = ModelHandle(other); }
  ModelHandle& operator=(ModelHandle&&) noexcept = default;
  ~ModelHandle() = default;

  std::span<const double> values(Context x) noexcept { return model_->values(x); }
  std::span<const double> disagreement(Context x) noexcept { return model_->disagreement(x); }
  std::span<const double> widths(Context x) noexcept { return model_->widths(x); }
  std::span<const double> sample(Context x, Rng& rng) noexcept { return model_->sample(x, rng); }
  Marginals marginals(Context x) noexcept { return {*model_, x}; }
  void update(Context x, Action action, double reward) noexcept {
    model_->update(x, action, reward);
  }
  bool take_restart() noexcept { return model_->take_restart(); }
  std::span<const Relearned> relearned() const noexcept { return model_->relearned(); }
  std::vector<MemberRecord> members() const { return model_->members(); }
  std::vector<double> uncertainty(Context x) { return model_->uncertainty(x); }
  bool linear() const noexcept { return model_->linear(); }
  void describe(const ColumnFunction& column) const { model_->describe(column); }
  std::string fault() const { return model_->fault(); }

  static void state(const ModelHandle& self, StateWriter& writer) { self.model_->save(writer); }
  static void state(ModelHandle& self, StateReader& reader) { self.model_->load(reader); }

 private:
  std::unique_ptr<AnyModel> model_;
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
    return std::make_shared<View<Weights>>(model_.published());
  }
  RewardRange rewards() const noexcept override {
    if constexpr (requires { M::kRewards; }) return M::kRewards;
    return {};
  }
  bool can_restart() const noexcept override {
    return requires(M & model) { model.take_restart(); };
  }
  void learn(HashedFeatures context, const JointAction& action, double reward) override {
    model_.learn(context, action, reward);
  }
  bool take_restart() noexcept override {
    if constexpr (requires { model_.take_restart(); }) return model_.take_restart();
    return false;
  }
  std::span<const Relearned> relearned() const noexcept override {
    if constexpr (requires { model_.relearned(); }) return model_.relearned();
    return {};
  }
  std::string fault() const override { return model_.fault(); }
  void save(StateWriter& writer) const override { model_.save(writer); }
  void load(StateReader& reader) override { model_.load(reader); }

 private:
  using Weights = typename M::Weights;

  // W is Weights for the weights as they were, and a reference for the weights as they are now.
  template <class W>
  class View final : public AnyJointWeights {
   public:
    explicit View(W weights) : weights_(std::forward<W>(weights)) {}
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const override {
      weights_.values(context, actions, out);
    }
    bool disagrees() const noexcept override { return kDisagrees; }
    void judge(HashedFeatures context, std::span<const JointAction> actions,
               std::span<double> value, std::span<double> disagreement) const override {
      if constexpr (kDisagrees) weights_.judge(context, actions, value, disagreement);
      SAU_ASSERT(kDisagrees, "a model that is no committee");
    }
    void widths(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const override {
      constexpr bool kHas = requires { weights_.widths(context, actions, out); };
      if constexpr (kHas) weights_.widths(context, actions, out);
      SAU_ASSERT(kHas, "a model without widths");
    }
    bool novelty(HashedFeatures context, std::span<const JointAction> actions,
                 std::span<double> out) const override {
      constexpr bool kHas = requires { weights_.novelty(context, actions, out); };
      if constexpr (kHas) weights_.novelty(context, actions, out);
      return kHas;
    }
    void best_chances(HashedFeatures context, std::span<const JointAction> actions,
                      std::span<double> out) const override {
      constexpr bool kHas = requires { weights_.marginals(context, actions); };
      if constexpr (kHas) argmax_probabilities(weights_.marginals(context, actions), out);
      SAU_ASSERT(kHas, "a model without a posterior");
    }
    std::vector<MemberRecord> members() const override {
      if constexpr (requires { weights_.members(); }) return weights_.members();
      return {};
    }

   private:
    static constexpr bool kDisagrees =
        requires(const Weights& weights, HashedFeatures context,
                 std::span<const JointAction> actions, std::span<double> out) {
      weights.judge(context, actions, out, out);
    };

    W weights_;
  };

  M model_;
  View<const Weights&> live_;
};

}  // namespace sau
