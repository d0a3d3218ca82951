#include "core/threads.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <latch>

#include "support/sanitizer.hpp"

namespace sau::detail {
namespace {

TEST(Threads, EachGetsItsNumber) {
  std::atomic<std::size_t> sum = 0;
  {
    const auto threads = start_threads(5, [&sum](std::size_t number) { sum += number; });
    EXPECT_EQ(threads.size(), 5U);
  }
  EXPECT_EQ(sum, 10U);
}

// While this exists, the process can have no more than some 40 MB of address space on top.
class NoMoreMemory {
 public:
  NoMoreMemory() {
    ::getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * 4096 + 40'000'000, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  NoMoreMemory(const NoMoreMemory&) = delete;
  NoMoreMemory& operator=(const NoMoreMemory&) = delete;
  ~NoMoreMemory() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(Threads, AreFewerIfTheSystemGivesNoMore) {
  if (testing::kSanitizer) GTEST_SKIP() << "sanitizers need the address space themselves";
  std::latch enough(1);
  std::atomic<std::size_t> ran = 0;
  std::size_t started = 0;
  {
    const NoMoreMemory limit;
    const auto threads = start_threads(100, [&](std::size_t) {
      enough.wait();
      ++ran;
    });
    started = threads.size();
    enough.count_down();
  }
  EXPECT_LT(started, 100U);
  EXPECT_EQ(ran, started);
}

}  // namespace
}  // namespace sau::detail
