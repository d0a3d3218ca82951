#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "sau/core/file.hpp"
#include "sau/store/event_store.hpp"
#include "store/wal_check.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::TemporaryFolder;

// Which nothing can make smaller.
std::string noise(std::size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, ' ');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

StoreBatch batch_of(Sequence sequence, std::size_t padding = 0) {
  static std::set<std::string> ids;  // which batches look at
  const std::string& id = *ids.insert("e" + std::to_string(sequence)).first;
  StoreBatch batch;
  const Decision decision{.time = static_cast<Milliseconds>(sequence),
                          .event_id = id,
                          .actions = {{}},
                          .request = noise(padding)};
  batch.decisions.emplace_back(sequence, encode(decision));
  batch.events.emplace_back(id, EventState{.decision = sequence});
  batch.waiting.push_back({sequence, static_cast<Milliseconds>(sequence) * 10});
  return batch;
}

// A store with these decisions in it, one batch each, all in the write-ahead log.
void fill(const fs::path& folder, Sequence count, std::size_t padding = 0) {
  const auto store = open_event_store(folder, {});
  for (Sequence i = 1; i <= count; ++i) ASSERT_TRUE(store->write(batch_of(i, padding)).ok());
}

fs::path log_file(const fs::path& folder) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".log" && fs::file_size(entry.path()) > 0) found = entry.path();
  }
  return found;
}

Sequence decisions_in(const EventStore& store) {
  Sequence count = 0;
  EXPECT_TRUE(store
                  .decisions(0,
                             [&](Sequence sequence, const Decision& decision) {
                               EXPECT_EQ(sequence, ++count);
                               EXPECT_EQ(decision.event_id, "e" + std::to_string(sequence));
                               return true;
                             })
                  .ok());
  EXPECT_EQ(store.waiting().value().size(), count);
  EXPECT_EQ(store.last().value(), count);
  return count;
}

TEST(RocksStore, KeepsWhatWasWritten) {
  const TemporaryFolder folder;
  fill(folder / "s", 20);
  const auto store = open_event_store(folder / "s", {});
  EXPECT_EQ(decisions_in(*store), 20U);
  EXPECT_EQ(store->event("e7").value()->decision, 7U);
  EXPECT_FALSE(store->event("nobody").value().has_value());
  EXPECT_EQ(store->decision(7).value()->event_id, "e7");
  EXPECT_FALSE(store->decision(21).value().has_value());
  StoreBatch settled;
  settled.entries.emplace_back(21, Entry{.decision = 7, .completes = true, .value = 0.5});
  settled.configuration = "{}";
  ASSERT_TRUE(store->write(settled).ok());
  EXPECT_EQ(store->waiting().value().size(), 19U);
  EXPECT_EQ(store->waiting().value()[6].decision, 8U);
  EXPECT_EQ(store->waiting().value()[6].time, 80);
  EXPECT_EQ(store->last().value(), 21U);
  EXPECT_EQ(store->configuration().value(), "{}");
  std::vector<Sequence> entries;
  ASSERT_TRUE(store
                  ->entries(1,
                            [&](Sequence sequence, const Entry& entry) {
                              EXPECT_EQ(entry.value, 0.5);
                              entries.push_back(sequence);
                              return true;
                            })
                  .ok());
  EXPECT_EQ(entries, std::vector<Sequence>{21});
}

std::vector<Sequence> waiting_in(const EventStore& store) {
  std::vector<Sequence> decisions;
  const auto waiting = store.waiting();
  for (const Waiting& each : waiting.value()) decisions.push_back(each.decision);
  return decisions;
}

TEST(RocksStore, KnowsWhatWaits) {
  const TemporaryFolder folder;
  auto store = open_event_store(folder / "s", {});
  // Ranked and settled in one batch; then entries of every kind, of which three settle.
  StoreBatch both = batch_of(1);
  both.entries.emplace_back(2, Entry{.decision = 1, .completes = true});
  ASSERT_TRUE(store->write(both).ok());
  for (Sequence i = 3; i <= 8; ++i) ASSERT_TRUE(store->write(batch_of(i)).ok());
  EXPECT_EQ(waiting_in(*store), (std::vector<Sequence>{3, 4, 5, 6, 7, 8}));
  StoreBatch later;
  later.entries = {{9, {.kind = EntryKind::kReward, .decision = 3}},
                   {10, {.kind = EntryKind::kReward, .decision = 4, .completes = true}},
                   {11, {.kind = EntryKind::kActivated, .decision = 5}},
                   {12, {.kind = EntryKind::kExpired, .decision = 6}},
                   {13, {.kind = EntryKind::kLateReward, .decision = 7}},
                   {14, {.kind = EntryKind::kExpired, .decision = 8, .completes = true}}};
  ASSERT_TRUE(store->write(later).ok());
  EXPECT_EQ(waiting_in(*store), (std::vector<Sequence>{3, 5, 7}));
  // All of them anew, in a batch that settles one of them and brings another.
  StoreBatch all = batch_of(15);
  all.waiting = {{3, 30}, {5, 50}, {7, 70}, {15, 150}};
  all.all_waiting = true;
  all.entries.emplace_back(16, Entry{.decision = 5, .completes = true});
  ASSERT_TRUE(store->write(all).ok());
  EXPECT_EQ(waiting_in(*store), (std::vector<Sequence>{3, 7, 15}));
  EXPECT_EQ(store->waiting().value()[1].time, 70);
  store.reset();
  EXPECT_EQ(waiting_in(*open_event_store(folder / "s", {.read_only = true})),
            (std::vector<Sequence>{3, 7, 15}));
}

// What settled them is forgotten with them.
TEST(RocksStore, WhatIsForgottenDoesNotWait) {
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {});
  StoreBatch batch = batch_of(1);
  for (Sequence i = 2; i <= 4; ++i) {
    const StoreBatch one = batch_of(i);
    batch.decisions.push_back(one.decisions[0]);
    batch.waiting.push_back(one.waiting[0]);
  }
  ASSERT_TRUE(store->write(batch).ok());
  StoreBatch settled;
  settled.entries.emplace_back(5, Entry{.decision = 1, .completes = true});
  ASSERT_TRUE(store->write(settled).ok());
  ASSERT_TRUE(store->write(batch_of(6)).ok());
  ASSERT_TRUE(store->forget(2).ok());
  EXPECT_EQ(waiting_in(*store), (std::vector<Sequence>{2, 3, 4, 6}));
}

TEST(RocksStore, ForgetsFromTheBeginning) {
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {});
  StoreBatch all;
  for (Sequence i = 1; i <= 5000; ++i) {
    StoreBatch one = batch_of(i);
    all.decisions.push_back(one.decisions[0]);
    all.events.push_back(one.events[0]);
  }
  ASSERT_TRUE(store->write(all).ok());
  ASSERT_TRUE(store->forget(4990).ok());
  EXPECT_FALSE(store->event("e1").value().has_value());
  EXPECT_FALSE(store->event("e4989").value().has_value());
  EXPECT_TRUE(store->event("e4990").value().has_value());
  EXPECT_FALSE(store->decision(4989).value().has_value());
  EXPECT_TRUE(store->decision(5000).value().has_value());
}

TEST(RocksStore, OneProcessAtATime) {
  const TemporaryFolder folder;
  fill(folder / "s", 1);
  const auto store = open_event_store(folder / "s", {});
  EXPECT_NE(error_of([&] { open_event_store(folder / "s", {}); }).find("lock"), std::string::npos);
  // But it can be read meanwhile.
  EXPECT_EQ(decisions_in(*open_event_store(folder / "s", {.read_only = true})), 1U);
  EXPECT_NE(error_of([&] { open_event_store(folder / "none", {.read_only = true}); }), "");
}

// Cut after every number of bytes, the log is whole up to the last record that ends before the cut.
TEST(WalCheck, CutAnywhereItHoldsTheRecordsBefore) {
  const TemporaryFolder folder;
  fill(folder / "s", 5, 9000);  // some records span blocks
  const std::string bytes = read_file(log_file(folder / "s"));
  const auto whole = detail::check_wal(bytes);
  EXPECT_EQ(whole.records, 5U);
  EXPECT_EQ(whole.whole, bytes.size());
  EXPECT_FALSE(whole.torn);
  std::uint64_t records = 0, end = 0;
  for (std::size_t cut = 0; cut <= bytes.size(); cut += 61) {
    const auto check = detail::check_wal(std::string_view(bytes).substr(0, cut));
    EXPECT_GE(check.records, records);
    EXPECT_GE(check.whole, end);
    EXPECT_LE(check.whole, cut);
    EXPECT_FALSE(check.goes_on) << cut;
    records = check.records;
    end = check.whole;
  }
  EXPECT_EQ(records, 4U);
}

TEST(RocksStore, ATornEndIsCutOffAndSaid) {
  const TemporaryFolder folder;
  fill(folder / "whole", 5, 100);
  const fs::path log = log_file(folder / "whole").filename();
  const std::string bytes = read_file(folder / "whole" / log.string());
  const std::uint64_t fourth =
      detail::check_wal(std::string_view(bytes).substr(0, bytes.size() - 1)).whole;
  int round = 0;
  // Cut at some places within the last record; or damaged there; or followed by garbage.
  for (const std::size_t cut : {fourth + 1, fourth + 6, fourth + 60, bytes.size() - 1}) {
    for (const char* how : {"cut", "changed"}) {
      const fs::path copy = folder / ("copy" + std::to_string(round++));
      fs::copy(folder / "whole", copy);
      std::string torn = bytes;
      if (std::string(how) == "cut")
        torn.resize(cut);
      else
        torn[cut] ^= 1;
      std::ofstream(copy / log, std::ios::binary | std::ios::trunc) << torn;
      std::string note;
      const auto store = open_event_store(
          copy,
          {.read_only = false, .verify = true, .note = [&](const auto& text) { note = text; }});
      EXPECT_EQ(decisions_in(*store), 4U);
      EXPECT_NE(note.find(log.string()), std::string::npos) << note;
      EXPECT_NE(note.find("offset " + std::to_string(fourth)), std::string::npos) << note;
      ASSERT_TRUE(store->write(batch_of(5)).ok());
      EXPECT_EQ(decisions_in(*store), 5U);
    }
  }
}

TEST(RocksStore, DamageElsewhereStopsTheStartWithFileAndOffset) {
  const TemporaryFolder folder;
  fill(folder / "s", 5, 100);
  const fs::path log = log_file(folder / "s");
  std::string bytes = read_file(log);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(log, std::ios::binary | std::ios::trunc) << bytes;
  const std::string error = error_of([&] { open_event_store(folder / "s", {}); });
  EXPECT_NE(error.find(log.string()), std::string::npos) << error;
  EXPECT_NE(error.find("offset"), std::string::npos) << error;
  EXPECT_EQ(read_file(log), bytes);  // nothing was changed
}

TEST(RocksStore, DamageInATableStopsTheStartWithFileAndOffset) {
  const TemporaryFolder folder;
  fill(folder / "s", 50, 1000);
  { const auto store = open_event_store(folder / "s", {}); }  // recovery writes the tables
  fs::path largest;
  for (const auto& entry : fs::directory_iterator(folder / "s")) {
    if (entry.path().extension() != ".sst") continue;
    if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
  }
  ASSERT_FALSE(largest.empty());
  std::string bytes = read_file(largest);
  bytes[10] ^= 1;
  std::ofstream(largest, std::ios::binary | std::ios::trunc) << bytes;
  const std::string error = error_of([&] { open_event_store(folder / "s", {}); });
  EXPECT_NE(error.find(largest.filename().string()), std::string::npos) << error;
  EXPECT_NE(error.find("offset"), std::string::npos) << error;
}

}  // namespace
}  // namespace sau
