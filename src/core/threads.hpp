#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace sau::detail {

// Starts `count` threads, each of which calls work(number); fewer, perhaps none, if the system
// gives no more.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) {
      threads.emplace_back([work, number = threads.size()] { work(number); });
    }
  } catch (const std::system_error&) {
    // Those that run do all the work.
  }
  return threads;
}

}  // namespace sau::detail
