#include "operator_lines.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>

#include "core/json_text.hpp"
#include "sau/core/time_text.hpp"

namespace sau::cli {
namespace {

// Whether a line can be written to standard error without blocking.
bool takes_a_line() noexcept {
  pollfd where{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&where, 1, 0) == 1;
}

std::atomic<bool> as_json = false;

std::string line_of(const std::string& time, std::string_view message) {
  if (!as_json) return fmt::format("{} {}\n", time, message);
  std::string line = R"({"time":)";
  detail::append_json(line, time);
  line += R"(,"message":)";
  detail::append_json(line, message);
  return line + "}\n";
}

}  // namespace

void write_lines_as_json() noexcept { as_json = true; }

void note(const std::string& line) noexcept {
  try {
    static std::mutex mutex;
    static std::size_t left_out = 0;
    constexpr std::size_t kLongest = 2048;  // a pipe that is writable takes at least 4096
    const std::string time = write_time(milliseconds_now());
    std::string text = line_of(time, std::string_view(line).substr(0, kLongest));
    const std::lock_guard lock(mutex);
    if (!takes_a_line()) {
      ++left_out;
      return;
    }
    if (left_out > 0) {
      text.insert(0, line_of(time, fmt::format("lines left out here, because nobody read the "
                                               "earlier ones: {}",
                                               left_out)));
      left_out = 0;
    }
    std::fputs(text.c_str(), stderr);
  } catch (const std::exception&) {  // no memory for the line
  }
}

void note_failure(std::string_view request, const char* what) {
  note(fmt::format("{} failed: {}", request, what));
}

void say(const std::string& line) {
  std::fputs(line.c_str(), stdout);
  if (std::fflush(stdout) == 0) return;
  std::clearerr(stdout);
  note("cannot write to standard output");
}

void DropLines::look() {
  const auto now = std::chrono::steady_clock::now();
  const Counts counts = {tally_.idle, tally_.slow, tally_.address, tally_.full};
  if (counts == told_ || now < next_) return;
  note(
      fmt::format("connections were dropped to make room for others: {} idle, {} slow, {} from "
                  "addresses with too many; {} were refused, as all others were being answered; "
                  "{} are open",
                  counts[0] - told_[0], counts[1] - told_[1], counts[2] - told_[2],
                  counts[3] - told_[3], tally_.open.load()));
  told_ = counts;
  next_ = now + std::chrono::seconds(10);
}

}  // namespace sau::cli
