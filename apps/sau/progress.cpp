#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace sau::cli {
namespace {

constexpr double kPlainInterval = 10.0;

std::string rate(double steps_per_second) {
  if (steps_per_second >= 1e6) return fmt::format("{:.1f}M steps/s", steps_per_second / 1e6);
  if (steps_per_second >= 1e3) return fmt::format("{:.1f}k steps/s", steps_per_second / 1e3);
  return fmt::format("{:.0f} steps/s", steps_per_second);
}

// Columns of the terminal on standard error; 0 if there is none.
std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::string progress_line(const Progress& progress, std::size_t columns) {
  const std::string share = fmt::format("{:.0f} %", std::floor(100.0 * progress.share));
  const std::string trials =
      fmt::format("{} of {} trials", progress.trials_done, progress.trials_total);
  std::vector<std::string> forms = {trials + ", " + share, share};
  if (progress.share > 0.0 && progress.seconds > 0.0) {
    const std::string left =
        duration(progress.seconds * (1.0 - progress.share) / progress.share) + " left";
    const std::string speed = rate(progress.steps_done / progress.seconds);
    forms = {trials + ", " + share + ", " + speed + ", " + left,
             trials + ", " + share + ", " + left, share + ", " + left, share};
  }
  const auto fits = [columns](const std::string& form) {
    return columns == 0 || form.size() < columns;  // the cursor needs a column, too
  };
  const auto found = std::ranges::find_if(forms, fits);
  return found == forms.end() ? "" : *found;
}

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
    std::fprintf(stderr, "\r\033[K%s", progress_line(progress, terminal_columns()).c_str());
    line_open_ = true;
  } else if (progress.seconds - last_line_ >= kPlainInterval) {
    std::fprintf(stderr, "%s\n", progress_line(progress, 0).c_str());
    last_line_ = progress.seconds;
  }
}

void ProgressPrinter::finish() {
  if (line_open_) std::fprintf(stderr, "\r\033[K");
  line_open_ = false;
}

}  // namespace sau::cli
