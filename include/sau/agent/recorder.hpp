#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sau/core/types.hpp"

namespace sau {

// The steps at which a regret curve is kept: every hundredth of the horizon, and 1, 2, 5, 10, ...
// for logarithmic axes. Ascending; the last one is the horizon.
std::vector<std::uint64_t> curve_points(std::uint64_t steps);

// The result of a trial.
struct TrialRecord {
  double regret = 0.0;        // summed over all steps
  double reward = 0.0;        // summed over all steps
  bool stuck = false;         // see Recorder
  std::vector<double> curve;  // cumulative regret at the curve's points
  std::string failure = {};   // why the trial does not count: then the rest is empty

  bool failed() const noexcept { return !failure.empty(); }
};

// How others watch and end a trial while it is played. Both pointers may be null, and must outlive
// the trial.
struct TrialControl {
  TrialControl() = default;
  TrialControl(const std::atomic<bool>* end) : stop(end) {}  // NOLINT: a stop alone is a control
  TrialControl(const std::atomic<bool>* end, std::atomic<std::uint64_t>* counter)
      : stop(end), steps(counter) {}

  const std::atomic<bool>* stop = nullptr;      // set it to end the trial early
  std::atomic<std::uint64_t>* steps = nullptr;  // steps played, brought up to date now and then
};

// Adds up a trial step by step. Whether the trial is stuck depends on the last tenth of its steps.
// It is stuck if one action took at least 95 % of these plays and at least half of that action's
// plays had regret. It is also stuck if plays without regret were rare: fewer than half as many as
// a uniform choice would make, 1 / actions of all plays, and so few that a uniform choice makes no
// more in less than one of 1000 trials. If the last tenth has fewer than 10 plays, no trial counts
// as stuck. If actions come and go, a uniform choice among m actions counts as 1 / m plays without
// regret, and ids identify the actions.
class Recorder {
 public:
  // `points`, from curve_points(steps), must outlive the recorder. `actions` is 0 if actions come
  // and go. `control` is looked at when the trial reaches a point.
  Recorder(Action actions, std::uint64_t steps, std::span<const std::uint64_t> points,
           const TrialControl& control = {});

  // Returns false if the trial must end here.
  bool step(Action action, double reward, double regret) noexcept {
    reward_ += reward;
    regret_ += regret;
    if (++n_ > tail_start_) {
      ++plays_[action];
      wrong_[action] += regret > 0.0 ? 1U : 0U;
    }
    return n_ != next_point_ || reach_point();
  }
  // The same if actions come and go: the action with this id was chosen among `offered`.
  bool step(std::string_view id, std::size_t offered, double reward, double regret);

  // Whether every step was played.
  bool complete() const noexcept { return n_ == steps_; }
  std::uint64_t steps_played() const noexcept { return n_; }
  TrialRecord record() const;

 private:
  bool reach_point() noexcept;

  double reward_ = 0.0, regret_ = 0.0;
  std::uint64_t n_ = 0, next_point_, tail_start_, steps_;
  Action actions_;
  std::vector<std::uint64_t> plays_, wrong_;  // per action, in the last tenth
  // If actions come and go: their indices in plays_ and wrong_, and how many plays without regret a
  // uniform choice would expect there.
  std::unordered_map<std::string, Action> place_;
  double by_chance_ = 0.0;
  std::span<const std::uint64_t> points_;
  std::vector<double> curve_;
  TrialControl control_;
};

}  // namespace sau
