#pragma once

#include <time.h>

namespace sau::bench {

// The CPU time that f() takes on this thread. Unlike wall time it does not count other programs.
template <class F>
double cpu_seconds(F&& f) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  f();
  return now() - start;
}

}  // namespace sau::bench
