#include "cluster/shipper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "serve/event_ids.hpp"
#include "serve/safe_note.hpp"

namespace sau::detail {

Shipper::Shipper(Spool& spool, ShipperOptions options)
    : spool_(spool),
      options_(std::move(options)),
      start_(EventIds().next().substr(0, 8)),
      shipped_(spool.first() - 1) {}

void Shipper::start() {
  thread_ = std::thread([this] { run(); });
}

void Shipper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Shipper::wake() {
  // Locked, so that the thread is either waiting or about to look.
  { const std::lock_guard lock(mutex_); }
  wake_.notify_one();
}

void Shipper::trainer_has(Sequence position, bool misses, bool idle) {
  spool_.drop(position);
  // Records that were dropped before cannot be shipped again: this trainer will never have them.
  const Sequence next = std::max(position + 1, spool_.first());
  const std::lock_guard lock(mutex_);
  if (next > shipped_) return;
  const auto now = Clock::now();
  // What was confirmed lately may be on its way, and so may what was shipped after a rewind.
  const bool is_lost =
      (misses && now > last_rewind_ + options_.patience) ||
      (idle && now > last_confirmed_ + options_.patience && now > last_rewind_ + options_.patience);
  if (!is_lost) return;
  last_rewind_ = now;
  go_back_ = next;
  wake_.notify_one();
}

bool Shipper::ship(const ShippedBatch& batch) {
  const std::string id =
      fmt::format("{}.{}.{}.{}", options_.node, start_, rewound_.load(), batch.first);
  const auto confirmed = options_.append(id, encode(batch));
  if (confirmed.ok()) {
    if (std::exchange(failing_, false)) note_safely(options_.note, "the stream can be reached", "");
    return true;
  }
  failures_.fetch_add(1, std::memory_order_relaxed);
  if (!std::exchange(failing_, true)) {
    note_safely(options_.note, "records stay in the spool and are shipped later: ",
                confirmed.failure().message.c_str());
  }
  return false;
}

// No exception leaves the thread: what failed is tried again.
void Shipper::run() {
  ShippedBatch batch;  // on its way; no records: none
  for (bool waits = false;;) {
    {
      std::unique_lock lock(mutex_);
      if (waits) {
        wake_.wait_for(lock, options_.retry, [this] { return stopping_ || go_back_ != 0; });
      } else {
        wake_.wait(lock, [&] {
          return stopping_ || go_back_ != 0 || !batch.records.empty() || spool_.last() > shipped_;
        });
      }
      if (stopping_) return;
      if (go_back_ != 0) {
        // What the trainer has may have been dropped meanwhile.
        shipped_ = std::max(std::exchange(go_back_, 0), spool_.first()) - 1;
        rewound_.fetch_add(1, std::memory_order_relaxed);
        batch.records.clear();
      }
    }
    waits = true;
    try {
      if (batch.records.empty()) {
        const Sequence from = std::max(shipped_ + 1, spool_.first());
        auto records = spool_.read(from, options_.message_bytes);
        if (!records.ok()) {
          note_safely(options_.note, "", records.failure().message.c_str());
          continue;
        }
        batch = {options_.node, from, spool_.first(), std::move(records).value()};
      }
      if (!batch.records.empty() && !ship(batch)) continue;
      const std::size_t records = batch.records.size();
      const Sequence through = batch.first + records - 1;
      batch.records.clear();
      {
        const std::lock_guard lock(mutex_);
        last_confirmed_ = Clock::now();
        shipped_.store(through, std::memory_order_release);
      }
      options_.shipped(through);
      waits = false;
      if (spool_.last() - through > records) continue;  // it lags
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, options_.pause, [this] { return stopping_ || go_back_ != 0; });
    } catch (const std::exception& error) {
      note_safely(options_.note, "shipping failed and is tried again: ", error.what());
    }
  }
}

}  // namespace sau::detail
