#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "sau/store/event_store.hpp"

namespace sau::testing {

// What is on the "disk": outlives the stores that are opened on it.
struct MemoryDisk {
  std::recursive_mutex mutex;  // who visits decisions may look up their events
  std::map<Sequence, std::string> decisions, entries;
  std::map<std::string, std::string, std::less<>> events;
  std::map<Sequence, Milliseconds> waiting;
  std::optional<std::string> configuration;
  std::uint64_t writes = 0;
  std::uint64_t listings = 0;  // batches with all that waits
  // Writes that fail, by their number from 1; and whether a failed one leaves its bytes behind, as
  // a sync that failed may.
  std::set<std::uint64_t> failing;
  bool failing_write_lasts = false;
  bool full = false;  // every write and every reopening fails
};

class MemoryStore final : public EventStore {
 public:
  explicit MemoryStore(std::shared_ptr<MemoryDisk> disk) : disk_(std::move(disk)) {}

  Status write(const StoreBatch& batch) override {
    const std::lock_guard lock(disk_->mutex);
    const bool fails = disk_->full || disk_->failing.contains(++disk_->writes) || failed_;
    if (fails) failed_ = true;
    if (fails && !disk_->failing_write_lasts) return full();
    for (const auto& [sequence, bytes] : batch.decisions) disk_->decisions[sequence] = bytes;
    for (const auto& [sequence, entry] : batch.entries) disk_->entries[sequence] = encode(entry);
    for (const auto& [id, state] : batch.events) disk_->events[std::string(id)] = encode(state);
    if (batch.all_waiting) {
      disk_->waiting.clear();
      ++disk_->listings;
    }
    for (const auto& [sequence, time] : batch.waiting) disk_->waiting[sequence] = time;
    for (const auto& [sequence, entry] : batch.entries) {
      if (entry.settles()) disk_->waiting.erase(entry.decision);
    }
    if (batch.configuration) disk_->configuration = batch.configuration;
    if (fails) return full();
    return Done{};
  }
  Status reopen() override {
    const std::lock_guard lock(disk_->mutex);
    if (disk_->full) return full();
    failed_ = false;
    return Done{};
  }
  Result<std::optional<EventState>> event(std::string_view id) const override {
    const std::lock_guard lock(disk_->mutex);
    const auto found = disk_->events.find(id);
    if (found == disk_->events.end()) return std::optional<EventState>();
    return std::optional(decode_event_state(found->second).value());
  }
  Result<std::optional<Decision>> decision(Sequence sequence) const override {
    const std::lock_guard lock(disk_->mutex);
    const auto found = disk_->decisions.find(sequence);
    if (found == disk_->decisions.end()) return std::optional<Decision>();
    return std::optional(decode_decision(found->second).value());
  }
  Status entries(Sequence first, const std::function<bool(Sequence, Entry)>& visit) const override {
    const std::lock_guard lock(disk_->mutex);
    for (auto at = disk_->entries.lower_bound(first); at != disk_->entries.end(); ++at) {
      if (!visit(at->first, decode_entry(at->second).value())) break;
    }
    return Done{};
  }
  Status decisions(Sequence first,
                   const std::function<bool(Sequence, Decision)>& visit) const override {
    const std::lock_guard lock(disk_->mutex);
    for (auto at = disk_->decisions.lower_bound(first); at != disk_->decisions.end(); ++at) {
      if (!visit(at->first, decode_decision(at->second).value())) break;
    }
    return Done{};
  }
  Result<std::vector<Waiting>> waiting() const override {
    const std::lock_guard lock(disk_->mutex);
    std::vector<Waiting> all;
    for (const auto& [sequence, time] : disk_->waiting) all.push_back({sequence, time});
    return all;
  }
  Result<std::optional<std::string>> configuration() const override {
    const std::lock_guard lock(disk_->mutex);
    return disk_->configuration;
  }
  Result<Sequence> last() const override {
    const std::lock_guard lock(disk_->mutex);
    Sequence last = 0;
    if (!disk_->decisions.empty()) last = std::max(last, disk_->decisions.rbegin()->first);
    if (!disk_->entries.empty()) last = std::max(last, disk_->entries.rbegin()->first);
    return last;
  }
  Status forget(Sequence first) override {
    const std::lock_guard lock(disk_->mutex);
    auto& decisions = disk_->decisions;
    for (auto at = decisions.begin(); at != decisions.end() && at->first < first;) {
      disk_->events.erase(decode_decision(at->second).value().event_id);
      at = decisions.erase(at);
    }
    disk_->entries.erase(disk_->entries.begin(), disk_->entries.lower_bound(first));
    return Done{};
  }
  std::uint64_t bytes() const override { return 0; }

 private:
  static Failure full() { return {Failure::Code::kUnavailable, "no space left on device"}; }

  std::shared_ptr<MemoryDisk> disk_;
  bool failed_ = false;
};

}  // namespace sau::testing
