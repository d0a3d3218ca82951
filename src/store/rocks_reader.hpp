#pragma once

#include <mutex>

#include "sau/store/event_store.hpp"
#include "store/rocks_database.hpp"

namespace sau::detail {

// The reading half of a store. Thread-safe except for opening and closing.
class RocksReader : public EventStore {
 public:
  Result<std::optional<EventState>> event(std::string_view id) const override;
  Result<std::optional<Decision>> decision(Sequence sequence) const override;
  Result<std::optional<std::string>> event_id(Sequence decision) const override;
  Status entries(Sequence first, const std::function<bool(Sequence, Entry)>& visit) const override;
  Status decisions(Sequence first,
                   const std::function<bool(Sequence, Decision)>& visit) const override;
  Status lessons_of(
      std::span<const Sequence> which,
      const std::function<bool(Sequence, const DecisionLesson&)>& visit) const override;
  Status events(Sequence first, Sequence last,
                const std::function<bool(const LoggedEvent&)>& visit) const override;
  Status waiting(const std::function<void(const WaitingDecision&)>& visit) const override;
  Result<std::optional<std::string>> configuration() const override;
  Result<std::vector<ClockLeap>> leaps() const override;
  Status rows(std::string_view prefix, std::string_view first,
              const std::function<bool(std::string_view, std::string_view)>& visit) const override;
  bool is_struck(Sequence decision) const override;
  LogHead head() const override;
  LogHead base() const override;
  Result<std::optional<LogHead>> removable(Sequence learned, Milliseconds older_than,
                                           Sequence ordered) const override;
  std::string check_tables() const override;
  std::string check_continuity() const override;
  Result<EventDigest> event_digest() const override;
  std::uint64_t bytes() const override;
  StoreMemory memory() const override;

 protected:
  explicit RocksReader(std::filesystem::path folder);

  static constexpr const char* kConfigurationKey = "configuration";
  static constexpr const char* kHeadKey = "head";
  static constexpr const char* kBaseKey = "base";
  static constexpr const char* kStruckKey = "struck";
  static constexpr const char* kLeapsKey = "leaps";
  static constexpr const char* kRowsKey = "row/";  // before the keys of rows

  const std::filesystem::path& folder() const noexcept { return folder_; }
  bool is_open() const noexcept { return database_ != nullptr; }
  const RocksDatabase& database() const noexcept { return *database_; }
  // Throws Error on failure. A database that was open before must be closed first.
  void open_as(const DatabaseOptions& how);
  void close() noexcept { database_.reset(); }

  void set_head(const LogHead& head);
  void set_base(const LogHead& base);
  std::vector<Sequence> struck() const;
  void set_struck(std::vector<Sequence> decisions);
  // Up to this decision, events may have been completed by a kMissing entry.
  Sequence missing_through() const noexcept {
    return missing_through_.load(std::memory_order_acquire);
  }
  void set_missing_through(Sequence last) noexcept {
    missing_through_.store(last, std::memory_order_release);
  }

  Failure closed() const;
  Failure failure(const rocksdb::Status& status) const;
  std::string describe(const rocksdb::Status& status) const;

 private:
  class MissingLists;

  template <class T, class Decode>
  Result<std::optional<T>> look_up(StoreTable which, std::string_view key, Decode decode) const;
  // `once`: do not fill the cache; these records will not be read again soon.
  template <class T, class Decode, class Visit>
  Status scan(StoreTable which, Sequence first, Decode decode, const Visit& visit,
              bool once = false) const;
  LogHead stored_head(const char* key) const;
  Failure damaged(StoreTable which, std::string_view key, const Failure& what) const;

  std::filesystem::path folder_;
  DatabaseMemory memory_;
  RemovedEvents removed_;  // declared before the database, which uses it
  std::unique_ptr<RocksDatabase> database_;
  mutable std::mutex heads_mutex_;
  LogHead head_, base_;
  std::vector<Sequence> struck_;  // decisions, in order
  std::atomic<Sequence> missing_through_{0};
};

}  // namespace sau::detail
