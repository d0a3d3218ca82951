#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/numbering.hpp"
#include "sau/model/value_model.hpp"

namespace sau {

enum class IdInput { kOutputs, kFeatures };
constexpr std::array<std::string_view, 2> enum_names(IdInput) { return {"outputs", "features"}; }

// How an agent handles actions that come and go by id. May follow the model and the strategy in a
// spec, as in linear+sau_ucb+ids(dim=16).
struct IdOptions {
  std::uint64_t actions = 100'000;
  IdInput by = IdInput::kOutputs;
  std::uint64_t dim = 64;
  std::uint64_t outputs = 256;
  double floor = 0.0;
  void fields(auto&& field) {
    field("actions", actions,
          "action ids whose statistics are kept; when full, rare and old ones are forgotten",
          Bounds{.min = 16.0, .max = 1e8});
    field("by", by,
          "what tells actions apart in a dense model: an output for each id, or their features");
    field("dim", dim, "length of a dense model's context; features beyond it share places",
          Bounds{.min = 1.0, .max = 65536.0});
    field("outputs", outputs, "outputs a dense model may have; ids beyond it share them",
          Bounds{.min = 1.0, .max = 65536.0});
    field("floor", floor, "each of n candidates has at least this share / n as its probability",
          Bounds{.min = 0.0, .max = 1.0});
  }
};

// A value model of a fixed set of actions as a joint model, for actions that come and go. Features
// are numbered in the order in which they are first learned from; the number is a feature's place
// in the context, a vector of the length `dim`. Features that were never learned from are left out.
//  - by=outputs: every id gets its own output when it is first learned from; until then the next
//    free output predicts for it. Features of actions are ignored.
//  - by=features: the model has one output, and its context vector holds the features of the
//    context and of the action, and the action's id.
// When places or outputs are used up, further features and ids share them by their hash.
template <ValueModel M>
class ByIds {
 public:
  static constexpr std::string_view kName = M::kName;
  static constexpr std::string_view kSummary = M::kSummary;
  static constexpr RewardRange kRewards = M::kRewards;
  using Options = typename M::Options;

  // The part that decides. Models keep scratch memory, so every thread needs its own model: the
  // first uses the original, others make copies, which are kept for reuse.
  class Weights {
   public:
    Weights(M model, const IdOptions& ids, Numbering features, Numbering outputs)
        : ids_(ids),
          features_(std::move(features)),
          outputs_(std::move(outputs)),
          pool_(std::make_unique<Pool>(std::move(model))) {}

    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const {
      each(
          context, actions, [](M& model, Context x) { return model.values(x); }, out);
      for (double& value : out) value = std::isfinite(value) ? value : 0.0;
    }
    void widths(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const requires WidthModel<M> {
      each(
          context, actions, [](M& model, Context x) { return model.widths(x); }, out);
    }
    void novelty(HashedFeatures context, std::span<const JointAction> actions,
                 std::span<double> out) const requires NoveltyModel<M> {
      each(
          context, actions, [](M& model, Context x) { return model.novelty(x); }, out);
    }
    auto marginals(HashedFeatures context,
                   std::span<const JointAction> actions) const requires PosteriorModel<M> {
      std::vector<typename decltype(std::declval<M&>().marginals({}))::value_type> out(
          actions.size());
      each(
          context, actions, [](M& model, Context x) { return model.marginals(x); }, out);
      return out;
    }

   private:
    friend class ByIds;

    struct Pool {
      explicit Pool(M m) : original(std::move(m)) {}
      std::mutex busy;  // held by whoever uses the original
      M original;
      std::mutex guard;
      std::vector<std::unique_ptr<M>> spare;
    };

    // out[a] = the answer of ask(model, x) for action a.
    template <class Ask, class Out>
    void each(HashedFeatures context, std::span<const JointAction> actions, Ask&& ask,
              Out&& out) const {
      borrow([&](M& model) {
        std::vector<double> x(ids_.dim);
        if (ids_.by == IdInput::kOutputs) {
          put(context, x);
          const auto all = ask(model, x);
          for (std::size_t a = 0; a < actions.size(); ++a) out[a] = all[output_of(actions[a])];
          return;
        }
        for (std::size_t a = 0; a < actions.size(); ++a) {
          std::ranges::fill(x, 0.0);
          put(context, x);
          put(actions[a].features, x);
          out[a] = ask(model, x)[0];
        }
      });
    }

    template <class Use>
    void borrow(Use&& use) const {
      const std::unique_lock lock(pool_->busy, std::try_to_lock);
      if (lock.owns_lock()) return use(pool_->original);
      std::unique_ptr<M> copy = take();
      use(*copy);
      const std::lock_guard guard(pool_->guard);
      pool_->spare.push_back(std::move(copy));
    }
    // Only published copies are read by several threads at once. Nothing in their original changes
    // except its scratch memory, and because of that it must not be copied while it is in use.
    std::unique_ptr<M> take() const {
      {
        const std::lock_guard guard(pool_->guard);
        if (!pool_->spare.empty()) {
          std::unique_ptr<M> copy = std::move(pool_->spare.back());
          pool_->spare.pop_back();
          return copy;
        }
      }
      const std::lock_guard lock(pool_->busy);
      return std::make_unique<M>(pool_->original);
    }

    void put(HashedFeatures features, std::vector<double>& x) const noexcept {
      for (const HashedFeature& feature : features) {
        const auto place = features_.find(feature.hash);
        if (place) x[*place] += static_cast<double>(feature.value);
      }
    }
    std::size_t output_of(const JointAction& action) const noexcept {
      return outputs_.find(action.features.front().hash)
          .value_or(static_cast<std::uint32_t>(outputs_.size()));
    }

    IdOptions ids_;
    Numbering features_, outputs_;
    std::unique_ptr<Pool> pool_;
  };

  ByIds(const Stream& stream, const Options& options, const IdOptions& ids)
      : ids_(ids),
        weights_(M({.shape = {.actions = 1, .dim = ids.dim}, .stream = stream}, options), ids,
                 Numbering(ids.dim), Numbering(ids.by == IdInput::kOutputs ? ids.outputs : 1)) {
    if (!grows(model()) && ids.by == IdInput::kOutputs) {
      throw UsageError(std::string(M::kName) +
                       " cannot get more outputs; expected ids(by=features)");
    }
  }

  const Weights& weights() const noexcept { return weights_; }
  Weights published() {
    return {copy_to_read(weights_.pool_->original), ids_, weights_.features_, weights_.outputs_};
  }

  void learn(HashedFeatures context, const JointAction& action, double reward) {
    x_.assign(ids_.dim, 0.0);
    number(context);
    std::uint32_t output = 0;
    if (ids_.by == IdInput::kFeatures) {
      number(action.features);
    } else {
      output = weights_.outputs_.add(action.features.front().hash);
      make_room();
    }
    model().update(x_, output, reward);
  }

  std::string fault() const {
    if constexpr (Fallible<M>) return weights_.pool_->original.fault();
    return {};
  }

  void save(StateWriter& writer) const {
    weights_.features_.save(writer, "feature_hashes");
    weights_.outputs_.save(writer, "output_hashes");
    M::state(std::as_const(weights_.pool_->original), writer);
  }
  void load(StateReader& reader) {
    weights_.features_.load(reader, "feature_hashes");
    weights_.outputs_.load(reader, "output_hashes");
    make_room();
    M::state(model(), reader);
    if constexpr (requires { model().restored(); }) model().restored();
  }

 private:
  static constexpr bool kGrows = requires(M & model) { model.grow(Action{2}); };

  static bool grows(const M& model) noexcept {
    if constexpr (requires { model.can_grow(); }) return model.can_grow();
    return kGrows;
  }

  M& model() noexcept { return weights_.pool_->original; }

  static M copy_to_read(const M& model) {
    if constexpr (requires { model.for_reading(); }) {
      return model.for_reading();
    } else {
      return model;
    }
  }

  void number(HashedFeatures features) {
    for (const HashedFeature& feature : features) {
      x_[weights_.features_.add(feature.hash)] += static_cast<double>(feature.value);
    }
  }

  // Gives the model an output for every numbered id and, up to the limit, one for the next id. The
  // number of outputs doubles, so that growing is rare.
  void make_room() {
    if (ids_.by == IdInput::kFeatures) return;
    const std::uint64_t wanted =
        std::min<std::uint64_t>(weights_.outputs_.size() + 1, ids_.outputs);
    while (room_ < wanted) {
      room_ = std::min<std::uint64_t>(2 * room_, ids_.outputs);
      if constexpr (kGrows) model().grow(static_cast<Action>(room_));
    }
  }

  IdOptions ids_;
  Weights weights_;
  std::uint64_t room_ = 1;  // outputs of the model
  std::vector<double> x_;   // the context of the event being learned
};

}  // namespace sau
