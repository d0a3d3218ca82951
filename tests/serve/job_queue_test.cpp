#include "serve/job_queue.hpp"

#include <gtest/gtest.h>

#include <future>
#include <new>

namespace sau {
namespace {

using detail::JobQueue;

TEST(JobQueue, AJobThatThrowsDoesNotStopTheThread) {
  JobQueue queue(2);
  JobQueue::Job failing = [] { throw std::bad_alloc(); };
  ASSERT_TRUE(queue.submit(failing));
  std::promise<void> done;
  JobQueue::Job next = [&done] { done.set_value(); };
  ASSERT_TRUE(queue.submit(next));
  done.get_future().wait();
}

}  // namespace
}  // namespace sau
