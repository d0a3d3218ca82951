#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sau/report/cell_summary.hpp"

namespace sau::cli {

using WatchClock = std::chrono::steady_clock;

enum class RunState {
  kMissing,  // the folder has no run yet
  kBroken,   // the folder cannot be read, at least at the moment
  kRunning,  // some trials are missing
  kComplete
};

// The state of a result folder.
struct RunLook {
  RunState state = RunState::kMissing;
  std::string problem = {};  // why there are no results, in one line
  std::vector<CellSummary> cells = {};
  std::uint64_t done = 0, asked = 0;              // trials
  double seconds_done = 0.0, seconds_left = 0.0;  // processor time, as far as known
};

// Never throws: reports a problem in the result.
RunLook look_at(const std::filesystem::path& folder);

// A fingerprint of the folder that changes whenever one of its files does.
std::string mark_of(const std::filesystem::path& folder);

// Estimates the speed of a run from successive looks at its folder.
class Pace {
 public:
  void note(const RunLook& look, WatchClock::time_point now);

  // How long the rest should take, from the processor time per trial of each cell and the speed of
  // the last two minutes. Empty until two looks differ, and if no trial has come for a minute.
  std::optional<double> seconds_left(WatchClock::time_point now) const;
  // Seconds since the last new trial was seen.
  double seconds_quiet(WatchClock::time_point now) const;

 private:
  struct Sample {
    WatchClock::time_point at;
    double seconds_done = 0.0;
  };
  std::deque<Sample> samples_;
  std::uint64_t done_ = 0;
  double left_ = 0.0;
  WatchClock::time_point changed_ = {};
};

}  // namespace sau::cli
