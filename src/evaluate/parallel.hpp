#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <vector>

#include "core/threads.hpp"

namespace sau::detail {

// Runs all tasks on up to `threads` threads, in their order, and waits. If some throw, the
// exception of the first of them in this order is thrown again.
inline void run_tasks(std::vector<std::function<void()>>& tasks, unsigned threads) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failed(tasks.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      try {
        tasks[i]();
      } catch (...) {
        failed[i] = std::current_exception();
      }
    }
  };
  {
    const std::size_t players = std::min<std::size_t>(threads, tasks.size());
    const auto others =
        start_threads(players > 0 ? players - 1 : 0, [&work](std::size_t) { work(); });
    work();
  }
  for (const std::exception_ptr& exception : failed) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace sau::detail
