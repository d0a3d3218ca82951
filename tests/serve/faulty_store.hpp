#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "sau/store/event_store.hpp"

namespace sau::testing {

// A disk that fails on demand; outlives the stores that are opened on it.
struct Disk {
  std::mutex mutex;
  std::uint64_t writes = 0;
  // The numbers of the writes that fail, from 1; and whether a failed one leaves its bytes behind,
  // as a failed sync may.
  std::set<std::uint64_t> failing;
  bool failing_write_lasts = false;
  bool full = false;           // every write and every reopening fails
  bool waiting_fails = false;  // waiting() fails
  std::uint64_t look_ups = 0;  // of an event by its decision
  Sequence unreadable = 0;     // looking up the event of this decision fails

  // While it is held, nobody can read entries: the learner waits.
  void hold_entries(bool held) {
    {
      const std::lock_guard lock(mutex);
      entries_are_held = held;
    }
    released.notify_all();
  }
  bool entries_are_held = false;
  std::condition_variable released;
};

// A store whose writes fail when the test wants it.
class FaultyStore final : public EventStore {
 public:
  FaultyStore(std::unique_ptr<EventStore> store, std::shared_ptr<Disk> disk)
      : store_(std::move(store)), disk_(std::move(disk)) {}

  Status write(const StoreBatch& batch) override {
    const std::lock_guard lock(disk_->mutex);
    const bool fails = disk_->full || disk_->failing.contains(++disk_->writes) || failed_;
    if (!fails) return store_->write(batch);
    const bool is_first = !std::exchange(failed_, true);
    if (is_first && disk_->failing_write_lasts) static_cast<void>(store_->write(batch));
    return no_space();
  }
  using EventStore::reopen;
  Status reopen(const std::function<void()>& meanwhile) override {
    const std::lock_guard lock(disk_->mutex);
    if (disk_->full) return no_space();
    failed_ = false;
    return store_->reopen(meanwhile);
  }
  Status forget(const LogHead& until) override { return store_->forget(until); }

  Result<std::optional<EventState>> event(std::string_view id) const override {
    const std::lock_guard lock(disk_->mutex);
    return store_->event(id);
  }
  Result<std::optional<Decision>> decision(Sequence sequence) const override {
    return store_->decision(sequence);
  }
  Result<std::optional<std::string>> event_id(Sequence decision) const override {
    const std::lock_guard lock(disk_->mutex);
    ++disk_->look_ups;
    if (decision == disk_->unreadable) {
      return Failure{Failure::Code::kInternal, "the decision is damaged"};
    }
    return store_->event_id(decision);
  }
  Status entries(Sequence first, const std::function<bool(Sequence, Entry)>& visit) const override {
    {
      std::unique_lock lock(disk_->mutex);
      disk_->released.wait(lock, [this] { return !disk_->entries_are_held; });
    }
    return store_->entries(first, visit);
  }
  Status decisions(Sequence first,
                   const std::function<bool(Sequence, Decision)>& visit) const override {
    return store_->decisions(first, visit);
  }
  Status lessons_of(
      std::span<const Sequence> which,
      const std::function<bool(Sequence, const DecisionLesson&)>& visit) const override {
    return store_->lessons_of(which, visit);
  }
  Status events(Sequence first, Sequence last,
                const std::function<bool(const LoggedEvent&)>& visit) const override {
    return store_->events(first, last, visit);
  }
  Status waiting(const std::function<void(const WaitingDecision&)>& visit) const override {
    const std::lock_guard lock(disk_->mutex);
    if (disk_->waiting_fails) return Failure{Failure::Code::kInternal, "what waits is damaged"};
    return store_->waiting(visit);
  }
  Result<std::optional<std::string>> configuration() const override {
    return store_->configuration();
  }
  Result<std::vector<ClockLeap>> leaps() const override { return store_->leaps(); }
  Status rows(std::string_view prefix, std::string_view first,
              const std::function<bool(std::string_view, std::string_view)>& visit) const override {
    return store_->rows(prefix, first, visit);
  }
  bool is_struck(Sequence decision) const override { return store_->is_struck(decision); }
  LogHead head() const override { return store_->head(); }
  LogHead base() const override { return store_->base(); }
  Result<std::optional<LogHead>> removable(Sequence learned, Milliseconds older_than,
                                           Sequence ordered) const override {
    return store_->removable(learned, older_than, ordered);
  }
  std::string check_tables() const override { return store_->check_tables(); }
  std::string check_continuity() const override { return store_->check_continuity(); }
  Result<EventDigest> event_digest() const override { return store_->event_digest(); }
  std::uint64_t bytes() const override { return store_->bytes(); }
  StoreMemory memory() const override { return store_->memory(); }

 private:
  static Failure no_space() { return {Failure::Code::kUnavailable, "no space left on device"}; }

  std::unique_ptr<EventStore> store_;
  std::shared_ptr<Disk> disk_;
  bool failed_ = false;
};

}  // namespace sau::testing
