#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sau::detail {

// Formats batches on several threads, and writes the texts in the order of the batches, so the
// number of threads does not change what is written. `write` is called on the thread that calls
// add() and finish(); exceptions of `format` are thrown there too, in order. At most two batches
// per thread are in memory at a time.
template <class Batch>
class OrderedFormatter {
 public:
  using Format = std::function<std::string(const Batch&)>;
  using Write = std::function<void(const std::string&)>;

  OrderedFormatter(unsigned threads, Format format, Write write)
      : format_(std::move(format)), write_(std::move(write)), most_(2 * std::size_t{threads}) {
    if (threads < 2) return;
    threads_.reserve(threads);
    try {
      while (threads_.size() < threads) threads_.emplace_back([this] { run(); });
    } catch (
        const std::system_error&) {  // the system gives no more: those that run do all the work
    }
  }
  OrderedFormatter(const OrderedFormatter&) = delete;
  OrderedFormatter& operator=(const OrderedFormatter&) = delete;
  // Drops the batches that were not begun.
  ~OrderedFormatter() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void add(Batch batch) {
    if (threads_.empty()) return write_(format_(batch));
    if (texts_.size() >= most_) write_first();
    std::packaged_task<std::string()> task(
        [this, batch = std::move(batch)] { return format_(batch); });
    texts_.push_back(task.get_future());
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }

  // To be called after the last batch.
  void finish() {
    while (!texts_.empty()) write_first();
  }

 private:
  void write_first() {
    std::future<std::string> first = std::move(texts_.front());
    texts_.pop_front();
    write_(first.get());
  }

  void run() {
    for (;;) {
      std::packaged_task<std::string()> task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (stopping_) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  Format format_;
  Write write_;
  std::size_t most_;
  std::deque<std::future<std::string>> texts_;  // used only by the thread that adds
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<std::string()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sau::detail
