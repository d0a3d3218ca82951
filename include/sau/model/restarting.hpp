#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/setup.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/types.hpp"
#include "sau/model/any_model.hpp"
#include "sau/model/change_detector.hpp"

namespace sau {

struct RestartingOptions {
  std::string model = "sample_mean";
  double delta = 0.01;
  std::uint64_t every = 10;
  void fields(auto&& field) {
    field("model", model, "the model that is restarted, in quotes if it has settings");
    field("delta", delta, "chance of a restart without a change, per action",
          Bounds{.min = 1e-100, .max = 0.5});
    field("every", every, "an action is tested after every so many of its rewards",
          Bounds{.min = 1.0, .max = 1e9});
  }
  void check();
};

// A model that starts anew, with the strategy, when the world has changed: when the rewards of an
// action no longer have the mean that they had (ChangeDetector). If there are contexts, or rewards
// outside [0, 1], it is the residuals that are tested, divided by the largest so far and moved to
// [0, 1]; and only for changes away from 0, since residuals shrink while a model learns.
class Restarting {
 public:
  static constexpr std::string_view kName = "restarting";
  static constexpr std::string_view kSummary =
      "a model that starts anew when a test says that the world has changed";
  static constexpr bool kUsesContext = true;
  static constexpr bool kByIds = false;
  static constexpr RewardRange kRewards{};
  using Options = RestartingOptions;

  explicit Restarting(const Setup& setup, const Options& options = {});
  Restarting(const Restarting& other);
  Restarting(Restarting&&) noexcept = default;
  Restarting& operator=(const Restarting& other) { return *this = Restarting(other); }
  Restarting& operator=(Restarting&&) noexcept = default;
  ~Restarting() = default;

  std::span<const double> values(Context x) noexcept {
    model_->own_values(x, value_);
    return value_;
  }

  void update(Context x, Action action, double reward) noexcept;

  // Whether the last update() was a restart. For the strategy, which asks once.
  bool take_restart() noexcept { return std::exchange(restarted_, false); }
  std::uint64_t restarts() const noexcept { return restarts_; }

  std::string fault() const { return model_->fault(); }

  static void state(const Restarting& self, StateWriter& writer);
  static void state(Restarting& self, StateReader& reader);

 private:
  static constexpr double kRoom = 1.25;  // so that records are rare

  double number_to_test(Context x, Action action, double reward) noexcept;

  Options options_;
  std::uint8_t plain_;                       // not 0: rewards themselves are tested
  double scale_ = 0.0;                       // of the residuals, otherwise
  std::unique_ptr<AnyModel> fresh_, model_;  // as it was at first, and as it is
  std::vector<ChangeDetector> detectors_;    // one per action
  std::vector<double> value_;
  std::uint64_t restarts_ = 0;
  bool restarted_ = false;
};

}  // namespace sau
