#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sau::detail {

// A thread that runs one job after the other. Thread-safe.
class JobQueue {
 public:
  using Job = std::function<void()>;  // exceptions are ignored

  explicit JobQueue(std::size_t limit);  // jobs that may wait
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  ~JobQueue() { stop(); }

  // Returns false, and leaves the job to the caller, if too many wait or the queue was stopped.
  bool submit(Job& job);
  // Waits for the current job. Jobs that wait are destroyed without being run.
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
