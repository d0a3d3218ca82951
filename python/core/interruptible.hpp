#pragma once

#include <pthread.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace sau::python {

namespace py = pybind11;

// While it exists, threads that are started block all signals, so the interpreter's thread gets
// them.
class SignalsElsewhere {
 public:
  SignalsElsewhere() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsElsewhere() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsElsewhere(const SignalsElsewhere&) = delete;
  SignalsElsewhere& operator=(const SignalsElsewhere&) = delete;

 private:
  sigset_t before_{};
};

// Calls work() in a new thread, without the interpreter's lock. Meanwhile this thread handles
// signals and calls look() ten times a second. Ctrl-C, or whatever look() raises, sets `stop`,
// which work() must obey, and is raised when work() is done.
template <class Work, class Look>
void run_interruptibly(std::atomic<bool>& stop, Work&& work, Look&& look) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr failure;
  std::thread worker;
  {
    const SignalsElsewhere elsewhere;
    worker = std::thread([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_all();
    });
  }
  std::exception_ptr raised;
  const auto attempt = [&](auto&& f) {
    try {
      f();
    } catch (...) {
      if (!raised) raised = std::current_exception();
      stop = true;
    }
  };
  for (bool over = false; !over;) {
    {
      const py::gil_scoped_release unlocked;
      std::unique_lock lock(mutex);
      over = changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; });
    }
    attempt([] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    });
    if (!raised) attempt(look);
  }
  {
    const py::gil_scoped_release unlocked;
    worker.join();
  }
  if (raised) std::rethrow_exception(raised);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sau::python
