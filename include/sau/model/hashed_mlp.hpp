#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/shared_chunks.hpp"
#include "sau/core/spec.hpp"
#include "sau/model/feature_scaling.hpp"
#include "sau/model/feature_table.hpp"
#include "sau/model/hashed_history.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/network.hpp"
#include "sau/model/network_trainer.hpp"
#include "sau/model/training.hpp"

namespace sau {

struct HashedMlpOptions {
  std::uint64_t bits = 18;
  std::vector<double> hidden{32.0, 32.0};
  Optimizer optimizer = Optimizer::kRmsprop;
  double lr = 0.003;
  std::uint64_t batch = 64;
  std::uint64_t every = 20;
  std::uint64_t start = 20;
  std::uint64_t updates = 10;
  std::uint64_t history = 50'000;
  void fields(auto&& field) {
    field("bits", bits, "2^bits rows of the first layer", Bounds{.min = 8.0, .max = 26.0});
    field("hidden", hidden, "units of every ReLU layer, the first one sparse, as in 32x32",
          Bounds{.min = 1.0, .max = 4096.0});
    field("optimizer", optimizer, "RMSprop (0.99, 1e-8) or Adam (0.9, 0.999, 1e-8)");
    field("lr", lr, "learning rate", Bounds{.min = 1e-10, .max = 10.0});
    field("batch", batch, "events in a mini-batch, drawn with replacement",
          Bounds{.min = 1.0, .max = 65536.0});
    field("every", every, "events between two rounds of training", Bounds{.min = 1.0, .max = 1e9});
    field("start", start, "no training before this event", Bounds{.min = 1.0, .max = 1e9});
    field("updates", updates, "mini-batches in a round of training",
          Bounds{.min = 1.0, .max = 1e6});
    field("history", history, "how many of the latest events mini-batches are drawn from",
          Bounds{.min = 1.0, .max = 1e7});
  }
  void check() const;
};

// A perceptron over the features of the context, those of the action, and their crosses, with one
// output, mu(x, a). The first layer is sparse (FeatureTable). Every `every` events it takes
// `updates` mini-batches from the latest `history` events, as Mlp does. The other weights and all
// biases start as Mlp's do, which is what makes the units differ.
//
// Features and rewards may be of any scale. A feature is standardised by its mean and deviation so
// far and clipped to +-10; one that never varied, such as an indicator, is divided by its size. A
// cross is the product of two such numbers. The whole input is divided by the square root of the
// number of its features, so that steps do not grow with that number. Rewards are standardised in
// the same way, and outputs are converted back.
//
// Memory: 2^bits * units * 4 bytes for the first layer when all rows are in use (with units rounded
// up to a multiple of 8), as much again for the optimiser (twice for Adam), and for every published
// copy still in use what has changed since. A row takes memory only once it, or one of its 15
// neighbours, was learned.
//
// When it diverges it says so through fault(), predicts 0 for every action and stops learning.
class HashedMlp {
 public:
  static constexpr std::string_view kName = "hashed_mlp";
  static constexpr std::string_view kSummary =
      "multilayer perceptron over hashed features and their crosses, trained by replay";
  using Options = HashedMlpOptions;

  static constexpr std::size_t kChunk = 256;

  // What a decision needs.
  class Weights {
   public:
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const;

   private:
    friend class HashedMlp;
    using Chunk = std::array<Standardised, kChunk>;

    Weights(unsigned bits, std::shared_ptr<Network> network, FeatureTable table,
            SharedChunks<Chunk> scaling)
        : bits_(bits),
          network_(std::move(network)),
          table_(std::move(table)),
          scaling_(std::move(scaling)) {}

    float scaled(const HashedFeature& feature) const noexcept {
      const std::uint32_t place = place_of(feature.hash, bits_);
      const Chunk* chunk = scaling_[place / kChunk];
      return (chunk == nullptr ? Standardised{} : (*chunk)[place % kChunk])(feature.value);
    }
    void scale(HashedFeatures features, std::vector<float>& out) const;
    double reward_spread() const noexcept;

    unsigned bits_;
    bool fault_ = false;
    RunningMoments rewards_;
    std::shared_ptr<Network> network_;  // written to only while no copy shares it
    FeatureTable table_;
    SharedChunks<Chunk> scaling_;
  };

  explicit HashedMlp(const Stream& stream, Options options = {});

  const Weights& weights() const noexcept { return weights_; }
  Weights published();

  void learn(HashedFeatures context, const JointAction& action, double reward);

  // Empty while all is well; otherwise what went wrong.
  std::string fault() const { return rounds_.text(history_.size()); }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  using Moments = std::array<RunningMoments, kChunk>;

  void observe(HashedFeatures features);
  double train(const OptimizerStep& step);
  void put(const HashedEvent& event);

  Options options_;
  Rng rng_;
  Weights weights_;
  SparseTrainer trainer_;
  bool network_shared_ = false;    // whether a published copy shares weights_.network_
  SharedChunks<Moments> moments_;  // of the features; weights_.scaling_ is computed from them
  HashedHistory history_;
  TrainingRounds rounds_;

  Batch batch_;
  std::vector<float> context_;  // scaled values of an event's context
};

}  // namespace sau
