#include "stop.hpp"

#include <csignal>
#include <ctime>

namespace sau::cli {
namespace {

volatile std::sig_atomic_t signal_seen = 0;
volatile std::sig_atomic_t signal_second = 0;
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set inside a signal handler");

std::sig_atomic_t now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>(now.tv_sec);
}

extern "C" void request_stop(int signal) {
  // Asking again a moment later means now. Some senders signal twice at once: that is one request.
  if (signal_seen != 0 && now_seconds() > signal_second + 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (signal_seen == 0) signal_second = now_seconds();
  signal_seen = signal;
  stop_requested = true;
}

void stop_on(int signal) {
  // A shell that starts a job in the background has it ignore Ctrl-C: so be it.
  if (std::signal(signal, request_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

const std::atomic<bool>& stop_on_signals() {
  stop_on(SIGINT);
  stop_on(SIGTERM);
  return stop_requested;
}

int exit_code_when_stopped() {
  constexpr int kSignalled = 128;
  return kSignalled + signal_seen;
}

}  // namespace sau::cli
