#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cluster/message.hpp"
#include "cluster/spool.hpp"

namespace sau::detail {

struct ShipperOptions {
  std::string node;
  std::size_t message_bytes = std::size_t{512} << 10;  // NATS takes 1 MB
  // Between two messages that are not full. Each costs the trainer a sync of its disk, and under
  // load many records should share that.
  std::chrono::milliseconds pause{10};
  std::chrono::milliseconds retry{200};
  std::chrono::milliseconds patience{1000};  // before what was shipped counts as lost
  // Appends to the stream; a message with the same id is taken once.
  std::function<Result<std::uint64_t>(const std::string& id, std::string_view bytes)> append;
  // Everything up to here is in the stream. Called by the shipper's thread.
  std::function<void(Sequence through)> shipped;
  std::function<void(const std::string&)> note;
};

// The thread that ships a spool to the stream: in order, one message at a time, the same one again
// until it is confirmed. The stream may lose what it confirmed. Then the trainer misses it, and the
// shipper begins again with the first record that the trainer does not have.
class Shipper {
 public:
  Shipper(Spool& spool, ShipperOptions options);
  Shipper(const Shipper&) = delete;
  Shipper& operator=(const Shipper&) = delete;
  ~Shipper() { stop(); }

  void start();
  void stop();

  // The rest is thread-safe.

  // There are new records.
  void wake();
  // The trainer's log has everything up to here: the spool drops it. `misses`: the trainer has seen
  // later records; `idle`: it has read the stream to its end.
  void trainer_has(Sequence position, bool misses, bool idle);

  Sequence shipped() const noexcept { return shipped_.load(std::memory_order_acquire); }
  std::uint64_t rewound() const noexcept { return rewound_.load(std::memory_order_relaxed); }
  std::uint64_t failures() const noexcept { return failures_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  bool ship(const ShippedBatch& batch);

  Spool& spool_;
  const ShipperOptions options_;
  const std::string start_;  // tells this start from others in message ids

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  Sequence go_back_ = 0;  // to this record; 0: no need
  Clock::time_point last_confirmed_{}, last_rewind_{};

  std::atomic<Sequence> shipped_;
  std::atomic<std::uint64_t> rewound_{0}, failures_{0};
  bool failing_ = false;  // used only by the thread
  std::thread thread_;
};

}  // namespace sau::detail
