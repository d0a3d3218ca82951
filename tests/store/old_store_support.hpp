#pragma once

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sau/store/event_store.hpp"
#include "store/store_support.hpp"

namespace sau::testing {

// A store as version 2 wrote it: states by id, and a table of waiting events, which is no longer
// needed.
class OldDatabase {
 public:
  enum Table : std::size_t { kDefault, kDecisions, kEntries, kEvents, kWaiting, kTables };

  explicit OldDatabase(const std::filesystem::path& folder) {
    rocksdb::Options options;
    options.create_if_missing = options.create_missing_column_families = true;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const char* name : {"default", "decisions", "entries", "events", "waiting"}) {
      families.emplace_back(name, options);
    }
    rocksdb::DB* opened = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options, folder.string(), families, &tables_, &opened).ok());
    db_.reset(opened);
  }
  OldDatabase(const OldDatabase&) = delete;
  OldDatabase& operator=(const OldDatabase&) = delete;
  ~OldDatabase() {
    for (rocksdb::ColumnFamilyHandle* table : tables_) db_->DestroyColumnFamilyHandle(table);
  }

  void put(Table table, const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put({}, tables_[table], key, value).ok());
  }
  void put(Table table, Sequence key, const std::string& value) { put(table, key_of(key), value); }
  // As the removal of old events did.
  void remove_before(Sequence first) {
    for (const Table table : {kDecisions, kEntries}) {
      ASSERT_TRUE(db_->DeleteRange({}, tables_[table], key_of(0), key_of(first)).ok());
    }
  }
  void flush() { ASSERT_TRUE(db_->Flush({}, tables_).ok()); }

 private:
  static std::string key_of(Sequence sequence) {
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(sequence >> (56 - 8 * i));
    return bytes;
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> tables_;
};

// Every second record is the reward of the decision before it; the last decision has none.
inline void write_old_store(const std::filesystem::path& folder, Sequence first, Sequence count) {
  OldDatabase store(folder);
  store.put(OldDatabase::kDefault, "configuration", "{\"defaultReward\":0.5}");
  for (Sequence i = first; i < first + 2 * count; i += 2) {
    StoreBatch batch = batch_of(i, 50);
    store.put(OldDatabase::kDecisions, i, batch.decisions[0].second);
    EventState state = EventState::of(batch.events[0].second);
    if (i + 2 < first + 2 * count) {
      store.put(OldDatabase::kEntries, i + 1,
                encode(Entry{.decision = i, .completes = true, .value = 1.0}));
      state.phase = EventPhase::kCompleted;
      state.rewards = 1;
      state.final_reward = 1.0;
      state.completed_by = i + 1;
    }
    store.put(OldDatabase::kEvents, std::string(batch.events[0].first), encode(state));
  }
}

}  // namespace sau::testing
