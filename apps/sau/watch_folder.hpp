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
  kMissing,  // there is no run in the folder yet
  kBroken,   // it cannot be read, at least at the moment
  kRunning,  // some trials are missing
  kComplete
};

// What a look at a result folder found.
struct RunLook {
  RunState state = RunState::kMissing;
  std::string problem = {};  // why there are no results, in a line
  std::vector<CellSummary> cells = {};
  std::uint64_t done = 0, asked = 0;              // trials
  double seconds_done = 0.0, seconds_left = 0.0;  // processor time, as far as it is known
};

// Never throws: what is wrong is part of the answer.
RunLook look_at(const std::filesystem::path& folder);

// Differs whenever a file of the folder has changed.
std::string mark_of(const std::filesystem::path& folder);

// How fast a run goes on, from looks at it.
class Pace {
 public:
  void note(const RunLook& look, WatchClock::time_point now);

  // How long the rest takes, by the processor time that trials of each cell take and by the speed
  // of the last two minutes. Empty until two looks differ, and when nothing has come for long.
  std::optional<double> seconds_left(WatchClock::time_point now) const;
  // Since the last trial was seen to come.
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
