#pragma once

#include <time.h>

namespace sau::bench {

// The processor time that f() takes on this thread: unlike the clock's, it does not count what
// other programs take.
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
