#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cluster/cluster_support.hpp"
#include "cluster/spool.hpp"
#include "sau/cluster/cluster.hpp"
#include "sau/core/file.hpp"
#include "support/sanitizer.hpp"
#include "support/temporary_folder.hpp"

#ifndef SAU_SANITIZER  // a sanitizer replaces pthread_create itself

namespace sau {
namespace {

using StartRoutine = void* (*)(void*);
using Create = int (*)(pthread_t*, const pthread_attr_t*, StartRoutine, void*);

// How every std::thread begins; libnats has threads of its own, which are not counted.
std::atomic<StartRoutine> standard_start = nullptr;
std::atomic<bool> learn_start = false;
std::atomic<int> threads_left = -1;  // that the system still gives; -1: any number
// The first thread that is created begins late: what is destroyed too early is then used.
std::atomic<bool> hold_next = false;

struct Held {
  StartRoutine start;
  void* argument;
};
void* start_late(void* given) {
  const Held held = *static_cast<Held*>(given);
  delete static_cast<Held*>(given);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  return held.start(held.argument);
}

}  // namespace
}  // namespace sau

// Stands before the one of the C library.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              sau::StartRoutine start, void* argument) noexcept {
  static const auto create = reinterpret_cast<sau::Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (sau::learn_start.exchange(false)) sau::standard_start = start;
  if (start == sau::standard_start && sau::threads_left >= 0) {
    if (sau::threads_left-- == 0) {
      sau::threads_left = 0;
      return EAGAIN;
    }
    if (sau::hold_next.exchange(false)) {
      return create(thread, attributes, sau::start_late, new sau::Held{start, argument});
    }
  }
  return create(thread, attributes, start, argument);
}

namespace sau {
namespace {

TEST(FailedStart, OfANodeEndsTheThreadsThatWereStarted) {
  constexpr int kThreads = 3;
  const testing::TemporaryFolder folder;
  ServiceOptions options;
  options.folder = folder / "data";
  const ClusterOptions cluster{.servers = "nats://127.0.0.1:1"};  // nobody is there
  {
    detail::Spool spool(options.folder / "spool", {});
    const std::vector<std::string> records(100, detail::encoded_decision("event"));
    ASSERT_TRUE(spool.append(records).ok());
    write_file(options.folder / "node.json", R"({"node":"n","application":"sau"})");
  }
  learn_start = true;
  std::thread([] {}).join();
  for (int threads = 0; threads <= kThreads; ++threads) {
    threads_left = threads;
    hold_next = true;
    std::error_code failed;
    try {
      open_node(options, cluster);
    } catch (const std::system_error& error) {
      failed = error.code();
    }
    threads_left = -1;
    const bool enough = threads == kThreads;
    EXPECT_EQ(failed, enough ? std::error_code() : std::make_error_code(std::errc(EAGAIN)));
  }
}

}  // namespace
}  // namespace sau

#endif
