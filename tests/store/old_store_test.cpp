// Stores of format version 2 are carried over whole, or not at all.
#include <gtest/gtest.h>

#include "sau/core/file.hpp"
#include "store/old_store_support.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::OldDatabase;
using testing::TemporaryFolder;
using testing::write_old_store;

TEST(OldStore, IsCarriedOver) {
  for (const Sequence first : {1U, 501U}) {
    const TemporaryFolder folder;
    write_old_store(folder / "old", first, 1200);
    carry_over_event_store(folder / "old", folder / "new");
    const auto store = open_event_store(folder / "new", {});
    EXPECT_EQ(store->base().last, first - 1);
    EXPECT_EQ(store->head().records_since(store->base()), 2399U);
    EXPECT_EQ(store->configuration().value(), "{\"defaultReward\":0.5}");
    const auto waiting = testing::waiting_in(*store);
    ASSERT_EQ(waiting.size(), 1U);
    EXPECT_EQ(waiting[0].decision, first + 2398);
    EXPECT_EQ(store->event("e" + std::to_string(first + 4)).value()->completed_by, first + 5);
    EXPECT_EQ(store->event_digest().value().count, 1200U);
    StoreBatch next;
    next.entries.emplace_back(first + 2399, Entry{.decision = first + 2398, .completes = true});
    EXPECT_TRUE(store->write(next).ok());
    EXPECT_EQ(store->check_continuity(), "");
  }
}

TEST(OldStore, AnEventBeyondTheEndOfTheLogIsRefused) {
  const TemporaryFolder folder;
  write_old_store(folder / "old", 1, 10);
  // Event e3 was completed by a record that is not there.
  EventState state{.decision = 3, .phase = EventPhase::kCompleted, .completed_by = 25};
  OldDatabase(folder / "old").put(OldDatabase::kEvents, "e3", encode(state));
  const std::string error =
      error_of([&] { carry_over_event_store(folder / "old", folder / "new"); });
  EXPECT_NE(error.find("'e3' knows of record 25"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(folder / "new"));
  EXPECT_FALSE(fs::exists(folder / "new.mark"));
}

// A crash while RocksDB merges tables leaves some that belong to nothing.
TEST(OldStore, ATableThatNobodyNeedsDoesNotMatter) {
  const TemporaryFolder folder;
  write_old_store(folder / "old", 1, 10);
  OldDatabase(folder / "old").flush();
  fs::path table;
  for (const auto& entry : fs::directory_iterator(folder / "old")) {
    if (entry.path().extension() == ".sst") table = entry.path();
  }
  fs::copy_file(table, folder / "old/999998.sst");
  write_file(folder / "old/999999.sst", "half a table");
  carry_over_event_store(folder / "old", folder / "new");
  EXPECT_EQ(open_event_store(folder / "new", {})->head().last, 19U);
}

}  // namespace
}  // namespace sau
