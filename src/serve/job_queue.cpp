#include "serve/job_queue.hpp"

#include <utility>

namespace sau::detail {

JobQueue::JobQueue(std::size_t limit) : limit_(limit), thread_([this] { run(); }) {}

bool JobQueue::submit(Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || jobs_.size() >= limit_) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void JobQueue::stop() {
  std::deque<Job> dropped;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
  }
  dropped.clear();  // before the join: their callers need not wait for the current job
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void JobQueue::run() {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (stopping_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    try {
      job();
    } catch (...) {  // the thread continues; destroying the job answers whoever waits for it
    }
  }
}

}  // namespace sau::detail
