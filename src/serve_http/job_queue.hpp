#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sau::detail {

// A thread that does one job after the other. Thread-safe.
class JobQueue {
 public:
  using Job = std::function<void()>;  // what it throws is lost

  explicit JobQueue(std::size_t limit);  // jobs that may wait
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  ~JobQueue() { stop(); }

  // False, and the job is left to the caller: too many wait, or it was stopped.
  bool submit(Job& job);
  // Waits for the job in hand. Those that wait are destroyed without being done.
  void stop();

 private:
  void run();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace sau::detail
