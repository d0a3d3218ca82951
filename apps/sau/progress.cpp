#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace sau::cli {
namespace {

constexpr double kPlainInterval = 10.0;

std::string rate(double steps_per_second) {
  if (steps_per_second >= 1e6) return fmt::format("{:.1f}M steps/s", steps_per_second / 1e6);
  if (steps_per_second >= 1e3) return fmt::format("{:.1f}k steps/s", steps_per_second / 1e3);
  return fmt::format("{:.0f} steps/s", steps_per_second);
}

std::string describe(const Progress& progress) {
  std::string text = fmt::format("{} of {} trials, {:.0f} %", progress.trials_done,
                                 progress.trials_total, std::floor(100.0 * progress.share));
  if (progress.share > 0.0 && progress.seconds > 0.0) {
    text += ", " + rate(progress.steps_done / progress.seconds);
    text += ", " + duration(progress.seconds * (1.0 - progress.share) / progress.share) + " left";
  }
  return text;
}

}  // namespace

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::min(seconds, 1e8)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

ProgressPrinter::ProgressPrinter(bool quiet) : quiet_(quiet), terminal_(::isatty(2) == 1) {}

void ProgressPrinter::operator()(const Progress& progress) {
  if (quiet_ || progress.trials_total == 0) return;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", describe(progress).c_str());
    line_open_ = true;
  } else if (progress.seconds - last_line_ >= kPlainInterval) {
    std::fprintf(stderr, "%s\n", describe(progress).c_str());
    last_line_ = progress.seconds;
  }
}

void ProgressPrinter::finish() {
  if (line_open_) std::fprintf(stderr, "\r\033[K");
  line_open_ = false;
}

}  // namespace sau::cli
