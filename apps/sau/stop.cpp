#include "stop.hpp"

#include <csignal>
#include <ctime>

namespace sau::cli {
namespace {

volatile std::sig_atomic_t signal_seen = 0;
volatile std::sig_atomic_t signal_second = 0;
std::atomic<bool> stop_requested = false;
std::atomic<bool> hangup_seen = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set inside a signal handler");

std::sig_atomic_t now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>(now.tv_sec);
}

extern "C" void request_stop(int signal) {
  // A second signal after a moment ends the program. Two signals in quick succession count as one,
  // because some senders signal twice.
  if (signal_seen != 0 && now_seconds() > signal_second + 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (signal_seen == 0) signal_second = now_seconds();
  signal_seen = signal;
  stop_requested = true;
}

extern "C" void note_hangup(int) { hangup_seen = true; }

// Keeps signals ignored that were ignored at the start: Ctrl-C in a shell's background job, SIGHUP
// under nohup.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  handle(SIGINT, request_stop);
  handle(SIGTERM, request_stop);
  return stop_requested;
}

std::atomic<bool>& notice_hangups() {
  handle(SIGHUP, note_hangup);
  return hangup_seen;
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

int exit_code_when_stopped() {
  constexpr int kSignalled = 128;
  return kSignalled + signal_seen;
}

}  // namespace sau::cli
