#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/rng.hpp"
#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/model/feature_scaling.hpp"
#include "sau/model/network.hpp"
#include "sau/model/network_trainer.hpp"
#include "sau/model/replay.hpp"
#include "sau/model/training.hpp"

namespace sau {

// What the network of an mlp sees: the context, with one output per action; or one block of inputs
// per action, with a single output.
enum class MlpInput { kShared, kDisjoint };
constexpr std::array<std::string_view, 2> enum_names(MlpInput) { return {"shared", "disjoint"}; }

// Noise for Langevin dynamics: after a mini-batch with the rate lr and n steps in the history,
// every weight w becomes  (1 - 2 decay lr / n) w + Normal(0, 2 lr temperature / n).
struct Langevin {
  double temperature = 0.0;
  double decay = 0.0;
};

struct MlpOptions {
  std::vector<double> hidden{100.0, 100.0};
  Optimizer optimizer = Optimizer::kRmsprop;
  double lr = 0.003;
  double lr_decay = 0.0;
  std::uint64_t batch = 64;
  std::uint64_t every = 20;
  std::uint64_t start = 40;
  std::uint64_t updates = 10;
  CountOrAll history;
  bool standardise = false;
  Schedule schedule = Schedule::kEven;
  MlpInput input = MlpInput::kShared;
  void fields(auto&& field) {
    network_fields(field);
    field("input", input,
          "shared: one output per action; disjoint: one output, and a block of inputs per action");
  }
  // Without `input`, for models that need the last hidden layer.
  void network_fields(auto&& field) {
    field("hidden", hidden, "units of every ReLU layer, as in 100x100",
          Bounds{.min = 1.0, .max = 65536.0});
    field("optimizer", optimizer,
          "RMSprop (0.99, 1e-8), Adam (0.9, 0.999, 1e-8) or plain gradient descent");
    field("lr", lr, "learning rate", Bounds{.min = 1e-10, .max = 10.0});
    field("lr_decay", lr_decay, "after u mini-batches the rate is lr / (1 + lr_decay * u)",
          Bounds{.min = 0.0, .max = 1e6});
    field("batch", batch, "steps in a mini-batch, drawn with replacement",
          Bounds{.min = 1.0, .max = 65536.0});
    field("every", every, "steps between two rounds of training", Bounds{.min = 1.0, .max = 1e9});
    field("start", start, "no training before this step", Bounds{.min = 1.0, .max = 1e9});
    field("updates", updates, "mini-batches in a round of training",
          Bounds{.min = 1.0, .max = 1e6});
    field("history", history, "how many of the latest steps mini-batches are drawn from",
          Bounds{.min = 1.0, .max = 1e9});
    field("standardise", standardise,
          "learn rewards minus their mean, divided by their deviation; predictions are in the "
          "rewards' own unit");
    field("schedule", schedule,
          "even: a round after every `every` steps; early: more rounds at first, fewer later");
  }
  void check() const;
};

// A perceptron with one output per action (Zhu & Rigotti 2021, section 5 and appendix E): ReLU
// layers, single precision, squared error of the chosen action's output only. Every `every` steps
// it takes `updates` mini-batches from the steps seen so far, by RMSprop, which produced the
// paper's tables, or by Adam, which its text names.
//
// With standardise=true it learns (reward - mean) / deviation, with the mean and the deviation of
// the rewards so far, and a value is mean + deviation * output. When they move, at the start of a
// round, the output layer is rescaled so that no prediction jumps (Pop-Art; van Hasselt et al.
// 2016). Before the first round there is nothing to preserve, so values simply follow them. While
// all rewards are equal, there is nothing to learn, and every value is that reward. Multiplying
// every reward by a power of two then multiplies every value by it, exactly.
//
// When it diverges (a loss or a weight is not a finite number, as happens with rewards too large
// for single precision) it says so through fault(), predicts 0 for every action and stops learning.
//
// A context with a number beyond kLargestInput has the value 0 for every action, and the model does
// not learn from it: one such step would make the squares of gradients overflow. Such a context
// changes nothing else. But if the first kMostIgnored contexts are all out of range, that is a
// fault.
class Mlp {
 public:
  static constexpr std::string_view kName = "mlp";
  static constexpr std::string_view kSummary =
      "multilayer perceptron with one output per action, trained by replay";
  static constexpr bool kUsesContext = true;
  static constexpr RewardRange kRewards{};
  using Options = MlpOptions;

  static constexpr double kLargestInput = 1e9;
  static constexpr std::uint64_t kMostIgnored = 1000;

  explicit Mlp(const Setup& setup, Options options = {}, const Langevin& langevin = {});

  std::span<const double> values(Context x) noexcept {
    look(x);
    return value_;
  }

  // The last hidden layer; valid until the next call. Not with input=disjoint, which has one per
  // action.
  std::span<const double> features(Context x) noexcept {
    look(x);
    return feature_;
  }
  std::size_t feature_count() const noexcept { return feature_.size(); }

  void update(Context x, Action action, double reward) noexcept;

  // Whether the model can learn from this context.
  static bool in_range(Context x) noexcept {
    return std::ranges::all_of(x, [](double xi) { return std::abs(xi) <= kLargestInput; });
  }

  // Adds outputs that have learned nothing, if it can.
  void grow(Action actions);
  bool can_grow() const noexcept { return !disjoint(); }
  // A copy that predicts the same but has no history to learn from.
  Mlp for_reading() const { return Mlp(*this, WithoutHistory{}); }

  // Empty while all is well; otherwise what went wrong, and when.
  std::string fault() const { return rounds_.text(history_.size()); }

  std::uint64_t updates_done() const noexcept { return rounds_.updates; }
  Network& network() noexcept { return network_; }
  bool disjoint() const noexcept { return options_.input == MlpInput::kDisjoint; }
  // The deviation of the rewards by which outputs are multiplied; 1 unless standardise=true.
  double output_spread() const noexcept { return scale_.spread; }
  const Replay& history() const noexcept { return history_; }

  static void state(auto& self, auto&& field) {
    Network::state(self.network_, field);
    NetworkTrainer::state(self.trainer_, field);
    Replay::state(self.history_, field);
    field("rng", self.rng_);
    field("steps", self.rounds_.steps);
    field("updates", self.rounds_.updates);
    field("fault", self.rounds_.fault);
    if (self.options_.standardise) {
      field("reward_count", self.rewards_.count);
      field("reward_mean", self.rewards_.mean);
      field("reward_variance", self.rewards_.variance);
      field("output_mean", self.scale_.mean);
      field("output_spread", self.scale_.spread);
    }
  }
  void restored();

 private:
  struct WithoutHistory {};
  Mlp(const Mlp& other, WithoutHistory);

  // Runs the network on x, unless x is what it ran on last and nothing was learned since.
  void look(Context x) noexcept;
  // Puts x into input_, unless it is already there. Returns whether it was.
  bool put(Context x) noexcept;
  // With standardise=true: follows the mean and deviation of the rewards.
  void rescale() noexcept;
  // Noise and decay of the weights after a mini-batch.
  void shake(double rate) noexcept;
  // Counts a step whose context is out of range, as long as no other context came.
  void ignore() noexcept;

  Options options_;
  Langevin langevin_;
  Rng rng_;
  Network network_;
  NetworkTrainer trainer_;
  Replay history_;
  Batch batch_;
  TrainingRounds rounds_;
  RunningMoments rewards_;  // only with standardise=true
  RewardScale scale_;       // a value is mean + spread * output

  Network::Scratch scratch_;
  NetworkInput input_;
  std::vector<double> latest_;  // the context in input_
  bool has_input_ = false;      // whether input_ holds a context at all
  bool in_range_ = true;        // whether the model can learn from that context
  bool has_output_ = false;     // whether value_ and feature_ belong to input_ and these weights
  std::vector<double> value_, feature_;
};

}  // namespace sau
