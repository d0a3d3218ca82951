#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/relearned.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/spec.hpp"
#include "sau/model/hashed_history.hpp"
#include "sau/model/joint_model.hpp"
#include "sau/model/renewable.hpp"

namespace sau {

struct WindowedOptions {
  std::string model = "sample_mean";
  std::uint64_t window = 1000;
  std::uint64_t parts = 4;
  void fields(auto&& field) {
    field("model", model, "the model that forgets, in quotes if it has settings");
    field("window", window, "at most this many rewards count", Bounds{.min = 1.0, .max = 1e6});
    field("parts", parts,
          "the oldest window / parts of them are forgotten at once; learning takes about this "
          "many times as long",
          Bounds{.min = 1.0, .max = 1e6});
  }
  void check();
  // How many rewards are forgotten at once; one if there are more parts than rewards.
  std::size_t dropped() const noexcept { return std::max<std::uint64_t>(window / parts, 1); }
};

// A windowed model (Windowed) for actions that come and go. If contexts have so many features that
// HashedHistory is full, fewer rewards are learned again.
class JointWindowed {
 public:
  static constexpr std::string_view kName = "windowed";
  static constexpr std::string_view kSummary = "a model of the latest rewards only";
  static constexpr RewardRange kRewards{};
  using Options = WindowedOptions;
  using Weights = JointRenewable::Weights;

  JointWindowed(const Stream& stream, const Options& options, const IdOptions& ids);

  const Weights& weights() const noexcept { return model_.weights(); }
  Weights published() { return model_.published(); }

  void learn(HashedFeatures context, const JointAction& action, double reward);

  bool take_restart() noexcept { return model_.take_restart(); }
  std::span<const Relearned> relearned() const noexcept { return relearned_; }

  std::string fault() const { return model_->fault(); }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  std::uint64_t window_, dropped_;
  JointRenewable model_;
  HashedHistory history_;
  std::uint64_t left_;  // rewards until it starts anew
  std::vector<Relearned> relearned_;
};

}  // namespace sau
