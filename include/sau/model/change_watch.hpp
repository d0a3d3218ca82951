#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/spec.hpp"
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
    field("every", every, "rewards of an action between two tests", Bounds{.min = 1.0, .max = 1e9});
  }
  void check();
};

// Says when the mean reward of an action has changed (ChangeDetector). If there are contexts, or
// rewards outside [0, 1], the residuals are tested instead, divided by the largest so far and moved
// to [0, 1]. Then only changes away from 0 count, because residuals shrink anyway while a model
// learns.
class ChangeWatch {
 public:
  ChangeWatch(const RestartingOptions& options, std::size_t actions, bool contexts)
      : delta_(options.delta),
        every_(options.every),
        plain_(contexts ? 0 : 1),
        detectors_(actions) {}

  std::uint64_t restarts() const noexcept { return restarts_; }
  // Makes room for this many actions.
  void grow(std::size_t actions) { detectors_.resize(actions); }

  // The number to test for this reward. predict() is the value of its action, before the model
  // learns from it.
  template <class Predict>
  double number_to_test(double reward, bool has_context, Predict&& predict) {
    if (plain_ != 0 && !has_context && reward >= 0.0 && reward <= 1.0) return reward;
    // A new largest residual changes the scale of all numbers, so the tests begin anew.
    const double residual = reward - predict();
    if (plain_ != 0 || std::abs(residual) > scale_) {
      plain_ = 0;
      scale_ = kRoom * std::max(std::abs(residual), scale_);
      for (ChangeDetector& each : detectors_) each.restart();
    }
    return scale_ > 0.0 ? 0.5 + 0.5 * residual / scale_ : 0.5;
  }

  // Adds the number to those of this action. True if they have changed; then the caller restarts.
  bool changed(std::size_t action, double number) noexcept {
    ChangeDetector& detector = detectors_[action];
    detector.add(number);
    return detector.count() % every_ == 0 && detector.changed(delta_, plain_ == 0);
  }
  void restart() noexcept {
    for (ChangeDetector& each : detectors_) each.restart();
    ++restarts_;
  }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  static constexpr double kRoom = 1.25;  // so that records are rare

  double delta_;
  std::uint64_t every_;
  std::uint8_t plain_;                     // not 0: rewards themselves are tested
  double scale_ = 0.0;                     // of the residuals, otherwise
  std::vector<ChangeDetector> detectors_;  // one per action
  std::uint64_t restarts_ = 0;
};

}  // namespace sau
