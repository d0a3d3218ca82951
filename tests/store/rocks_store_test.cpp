#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "sau/core/file.hpp"
#include "sau/store/event_store.hpp"
#include "store/store_support.hpp"
#include "store/wal_check.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::batch_of;
using testing::decisions_in;
using testing::error_of;
using testing::fill;
using testing::log_file;
using testing::TemporaryFolder;

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
  settled.states.emplace_back(7, EventState{.decision = 7, .phase = EventPhase::kCompleted});
  settled.configuration = "{}";
  ASSERT_TRUE(store->write(settled).ok());
  const auto waiting = testing::waiting_in(*store);
  ASSERT_EQ(waiting.size(), 19U);
  EXPECT_EQ(waiting[6].decision, 8U);
  EXPECT_EQ(waiting[6].time, 8);
  EXPECT_EQ(store->head().last, 21U);
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

// Writing and reading more than fits into write buffers and cache does not exceed their bounds.
TEST(RocksStore, MemoryIsBounded) {
  constexpr Sequence kRecords = 1500;
  constexpr std::size_t kSize = 100'000;  // 150 MB, which cannot be compressed
  constexpr std::uint64_t kBound = 64 << 20;
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {.sync = false});
  StoreMemory most;
  const auto look = [&] {
    const StoreMemory memory = store->memory();
    most.cache = std::max(most.cache, memory.cache);
    most.write_buffers = std::max(most.write_buffers, memory.write_buffers);
  };
  for (Sequence i = 1; i <= kRecords; ++i) {
    ASSERT_TRUE(store->write(batch_of(i, kSize)).ok());
    look();
  }
  for (Sequence i = 1; i <= kRecords; ++i) {
    ASSERT_TRUE(store->decision(i).ok());
    look();
  }
  EXPECT_GT(most.cache, kBound * 9 / 10);
  EXPECT_LT(most.cache, kBound * 11 / 10);
  EXPECT_GT(most.write_buffers, kBound / 2);
  // Full buffers are still there while they are written to a table.
  EXPECT_LT(most.write_buffers, 2 * kBound);
}

// Events that were completed together, with the default reward, have the right state.
TEST(RocksStore, KeepsWhatTheClockSkipped) {
  const TemporaryFolder folder;
  const std::vector<ClockLeap> leaps = {{.from = 5, .size = 3000}, {.from = 9000, .size = 1}};
  {
    const auto store = open_event_store(folder / "log", {});
    EXPECT_TRUE(store->leaps().value().empty());
    StoreBatch first = batch_of(1);
    first.leaps = leaps;
    ASSERT_TRUE(store->write(first).ok());
    ASSERT_TRUE(store->write(batch_of(2)).ok());
  }
  EXPECT_EQ(open_event_store(folder / "log", {})->leaps().value(), leaps);
}

TEST(RocksStore, TheTimeAloneMakesNoRecordYounger) {
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "log", {});
  StoreBatch batch = batch_of(1);
  batch.waiting_from = 2;
  batch.keep_head = true;
  ASSERT_TRUE(store->write(batch).ok());
  StoreBatch only_time;
  only_time.waiting_from = 2;
  only_time.time = only_time.trusted_time = 100'000;
  ASSERT_TRUE(store->write(only_time).ok());
  EXPECT_EQ(store->head().time, 100'000);
  const auto removable = store->removable(1, 50);
  ASSERT_TRUE(removable.ok() && removable.value());
  EXPECT_EQ(removable.value()->last, 1u);
}

TEST(RocksStore, EventsCompletedTogether) {
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {});
  for (Sequence i = 1; i <= 20; ++i) ASSERT_TRUE(store->write(batch_of(i)).ok());
  StoreBatch missing;
  missing.entries = {
      {21, {.kind = EntryKind::kMissing, .completes = true, .value = 0.5, .missing = {2, 3, 7}}},
      {22, {.kind = EntryKind::kMissing, .completes = true, .value = 0.25, .missing = {9, 12}}}};
  ASSERT_TRUE(store->write(missing).ok());
  const auto expect = [](Sequence decision, const EventState& state) {
    const bool first = decision == 2 || decision == 3 || decision == 7;
    const bool second = decision == 9 || decision == 12;
    EXPECT_EQ(state.phase, first || second ? EventPhase::kMissing : EventPhase::kWaiting)
        << decision;
    EXPECT_EQ(state.final_reward, first ? 0.5 : second ? 0.25 : 0.0) << decision;
    EXPECT_EQ(state.completed_by, first ? 21U : second ? 22U : 0U) << decision;
    EXPECT_EQ(state.decision, decision);
  };
  for (Sequence i = 1; i <= 20; ++i) {
    expect(i, *store->event("e" + std::to_string(i)).value());
  }
  Sequence next = 5;
  ASSERT_TRUE(store
                  ->events(5, 15,
                           [&](const LoggedEvent& event) {
                             EXPECT_EQ(event.sequence, next++);
                             expect(event.sequence, event.state);
                             return true;
                           })
                  .ok());
  EXPECT_EQ(next, 16U);
  const auto lessons_of = [&](const std::vector<Sequence>& which, std::size_t most) {
    std::vector<Sequence> found;
    const auto visit = [&](Sequence sequence, const DecisionLesson& lesson) {
      EXPECT_EQ(lesson, DecisionLesson::of(*store->decision(sequence).value()));
      found.push_back(sequence);
      return found.size() < most;
    };
    EXPECT_TRUE(store->lessons_of(which, visit).ok());
    return found;
  };
  EXPECT_EQ(lessons_of({1, 3, 4, 20, 30}, 9), (std::vector<Sequence>{1, 3, 4, 20}));
  EXPECT_EQ(lessons_of({1, 3, 4, 20}, 2), (std::vector<Sequence>{1, 3}));
  EXPECT_EQ(lessons_of({7}, 9), (std::vector<Sequence>{7}));
  EXPECT_EQ(lessons_of({30}, 9), std::vector<Sequence>());
}

TEST(RocksStore, ForgetsFromTheBeginning) {
  const TemporaryFolder folder;
  {
    const auto store = open_event_store(folder / "s", {});
    for (Sequence i = 1; i <= 5000; i += 500) {
      StoreBatch all;
      for (Sequence j = i; j < i + 500; ++j) {
        StoreBatch one = batch_of(j);
        all.decisions.push_back(one.decisions[0]);
        all.events.push_back(one.events[0]);
      }
      all.waiting_from = i;  // the decisions of the batch before are settled
      all.time = static_cast<Milliseconds>(i) + 499;
      ASSERT_TRUE(store->write(all).ok());
    }
    // Heads are kept after 1500, 3000 and 4500 records; at the last of them all decisions before
    // 4001 were settled.
    EXPECT_FALSE(store->removable(1499, 1'000'000).value().has_value());
    EXPECT_FALSE(store->removable(5000, 1500).value().has_value());
    EXPECT_EQ(store->removable(5000, 1501).value()->last, 1500U);
    EXPECT_EQ(store->removable(3000, 1'000'000).value()->last, 1500U);
    const auto until = store->removable(5000, 1'000'000).value();
    ASSERT_TRUE(until.has_value());
    EXPECT_EQ(until->last, 3000U);
    ASSERT_TRUE(store->forget(*until).ok());
    EXPECT_FALSE(store->removable(5000, 1'000'000).value().has_value());
  }
  for (const bool read_only : {false, true}) {
    const auto store = open_event_store(folder / "s", {.read_only = read_only});
    EXPECT_EQ(store->base().last, 3000U);
    EXPECT_EQ(store->check_continuity(), "");
    EXPECT_FALSE(store->event("e1").value().has_value());
    EXPECT_FALSE(store->event("e3000").value().has_value());
    EXPECT_TRUE(store->event("e3001").value().has_value());
    EXPECT_FALSE(store->decision(3000).value().has_value());
    EXPECT_TRUE(store->decision(5000).value().has_value());
    EXPECT_EQ(store->event_digest().value().count, 2000U);
  }
}

TEST(RocksStore, NumbersHaveNoGaps) {
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {});
  ASSERT_TRUE(store->write(batch_of(1)).ok());
  EXPECT_FALSE(store->write(batch_of(3)).ok());
  EXPECT_FALSE(store->write(batch_of(1)).ok());
  EXPECT_EQ(decisions_in(*store), 1U);
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

// Wherever the log is cut, it is whole up to the last record that ends before the cut.
TEST(WalCheck, ACutLogHoldsTheRecordsBeforeTheCut) {
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

TEST(RocksStore, ATornEndIsCutOffAndReported) {
  const TemporaryFolder folder;
  // The fifth record was written, but not acknowledged.
  std::string mark;
  {
    const auto store = open_event_store(folder / "whole", {});
    for (Sequence i = 1; i <= 4; ++i) ASSERT_TRUE(store->write(batch_of(i, 100)).ok());
    mark = read_file(folder / "whole.mark");
    ASSERT_TRUE(store->write(batch_of(5, 100)).ok());
  }
  const fs::path log = log_file(folder / "whole").filename();
  const std::string bytes = read_file(folder / "whole" / log.string());
  const std::uint64_t fourth =
      detail::check_wal(std::string_view(bytes).substr(0, bytes.size() - 1)).whole;
  int round = 0;
  // Cut at some places within the last record, or damaged there.
  for (const std::size_t cut : {fourth + 1, fourth + 6, fourth + 60, bytes.size() - 1}) {
    for (const char* how : {"cut", "changed"}) {
      const fs::path copy = folder / ("copy" + std::to_string(round++));
      fs::copy(folder / "whole", copy);
      write_file(copy.string() + ".mark", mark);
      std::string torn = bytes;
      if (std::string(how) == "cut") {
        torn.resize(cut);
      } else {
        torn[cut] ^= 1;
      }
      write_file(copy / log, torn);
      std::string note;
      {
        const auto store = open_event_store(copy, {.note = [&](const auto& text) { note = text; }});
        EXPECT_EQ(decisions_in(*store), 4U);
        EXPECT_NE(note.find(log.string()), std::string::npos) << note;
        EXPECT_NE(note.find("offset " + std::to_string(fourth)), std::string::npos) << note;
        ASSERT_TRUE(store->write(batch_of(5)).ok());
        EXPECT_EQ(decisions_in(*store), 5U);
      }
      // If the record was acknowledged, this is damage.
      fs::remove_all(copy);
      fs::copy(folder / "whole", copy);
      fs::copy_file(folder / "whole.mark", copy.string() + ".mark",
                    fs::copy_options::overwrite_existing);
      write_file(copy / log, torn);
      for (const bool read_only : {false, true}) {
        const std::string error =
            error_of([&] { open_event_store(copy, {.read_only = read_only}); });
        EXPECT_NE(error.find("record 5 is missing"), std::string::npos) << error;
      }
      EXPECT_EQ(read_file(copy / log), torn);  // nothing was changed
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
