#include "watch_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "sau/run/results.hpp"

namespace sau::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kWindow = 120.0;  // seconds
constexpr double kQuiet = 60.0;    // seconds without a trial after which the speed is not known

double seconds_between(WatchClock::time_point from, WatchClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool has_run(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return fs::exists(folder, ignored);
  return !fs::is_empty(folder, ignored);
}

// Processor time of a trial; estimated from its steps if the cell has no times yet.
double trial_seconds(const CellSummary& summary, double seconds_a_step) {
  return summary.seconds > 0.0 ? summary.seconds
                               : seconds_a_step * static_cast<double>(summary.cell.steps);
}

void add_up(RunLook& look) {
  double seconds = 0.0, steps = 0.0;
  for (const CellSummary& summary : look.cells) {
    look.done += summary.trials;
    look.asked += summary.cell.trials;
    if (summary.seconds <= 0.0) continue;
    seconds += summary.seconds;
    steps += static_cast<double>(summary.cell.steps);
  }
  for (const CellSummary& summary : look.cells) {
    const double each = trial_seconds(summary, steps > 0.0 ? seconds / steps : 0.0);
    look.seconds_done += each * static_cast<double>(summary.trials);
    look.seconds_left += each * static_cast<double>(summary.cell.trials - summary.trials);
  }
}

}  // namespace

RunLook look_at(const fs::path& folder) {
  RunLook look;
  try {
    if (!has_run(folder)) {
      look.problem = folder.string() + " has no run yet";
      return look;
    }
    const RunResults results = read_results(folder, Curves::kSkip);
    std::vector<Cell> cells;
    for (const CellResults& cell : results.cells) cells.push_back(cell.cell);
    look.cells = summarise(results, cells);
    add_up(look);
    look.state = look.done < look.asked ? RunState::kRunning : RunState::kComplete;
  } catch (const std::exception& error) {
    look = {.state = RunState::kBroken, .problem = error.what()};
  }
  return look;
}

std::string mark_of(const fs::path& folder) {
  std::string mark;
  std::error_code code;
  fs::recursive_directory_iterator file(folder, code);
  for (; !code && file != fs::recursive_directory_iterator(); file.increment(code)) {
    std::error_code ignored;
    mark += fmt::format("{} {} {}\n", file->path().string(), file->file_size(ignored),
                        file->last_write_time(ignored).time_since_epoch().count());
  }
  return mark + code.message();
}

void Pace::note(const RunLook& look, WatchClock::time_point now) {
  if (look.state != RunState::kRunning && look.state != RunState::kComplete) return;
  if (!samples_.empty() && look.done == done_) return;
  if (look.done < done_) samples_.clear();  // another run
  done_ = look.done;
  left_ = look.seconds_left;
  changed_ = now;
  samples_.push_back({now, look.seconds_done});
  while (samples_.size() > 2 && seconds_between(samples_.front().at, now) > kWindow) {
    samples_.pop_front();
  }
}

std::optional<double> Pace::seconds_left(WatchClock::time_point now) const {
  if (samples_.size() < 2 || seconds_quiet(now) > kQuiet) return std::nullopt;
  const double done = samples_.back().seconds_done - samples_.front().seconds_done;
  if (done <= 0.0) return std::nullopt;
  return left_ * seconds_between(samples_.front().at, samples_.back().at) / done;
}

double Pace::seconds_quiet(WatchClock::time_point now) const {
  return samples_.empty() ? 0.0 : seconds_between(changed_, now);
}

}  // namespace sau::cli
