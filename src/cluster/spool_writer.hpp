#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cluster/spool.hpp"
#include "sau/serve/service.hpp"

namespace sau::detail {

// The thread that writes to a spool. All records that wait are written with one sync, and then
// they are answered.
class SpoolWriter {
 public:
  // The number of the record, or why it was not written. Called by the thread, exactly once.
  using Written = std::function<void(Result<Sequence>)>;

  // `wrote` is called after each batch.
  SpoolWriter(Spool& spool, std::size_t queue, std::function<void()> wrote,
              std::function<void(const std::string&)> note);
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;
  ~SpoolWriter() { stop(); }

  void start();
  // Writes what was submitted, then ends the thread. Later records are refused.
  void stop();

  // The rest is thread-safe.
  void submit(std::string record, Written written);
  std::size_t queued() const;
  bool broken() const noexcept { return broken_.load(std::memory_order_relaxed); }

 private:
  struct Waiting {
    std::string record;
    Written written;
  };

  void run();
  void write(std::vector<Waiting>& batch);
  void probe();

  Spool& spool_;
  const std::size_t limit_;
  const std::function<void()> wrote_;
  const std::function<void(const std::string&)> note_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Waiting> queue_;
  bool stopping_ = false;
  std::atomic<bool> broken_{false};
  std::thread thread_;
};

}  // namespace sau::detail
