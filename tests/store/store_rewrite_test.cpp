#include "store/store_rewrite.hpp"

#include <gtest/gtest.h>

#include "sau/core/error.hpp"
#include "store/store_support.hpp"
#include "support/failing_sync.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using testing::batch_of;

// Copies a log of 3000 decisions while others write `more` decisions per step of the copy. Returns
// the number of steps until the copy is as close as it gets.
int steps_of_copy(Sequence more) {
  const testing::TemporaryFolder folder;
  const auto store = open_event_store(folder / "old", {.sync = false});
  Sequence last = 0;
  const auto grow = [&](Sequence count) {
    for (const Sequence end = last + count; last < end;) good(store->write(batch_of(++last)));
  };
  grow(3000);
  const detail::LogRewrite how;
  detail::StoreRewriter rewriter(*store, folder / "new", how);
  int steps = 1;
  while (rewriter.advance(*store)) {
    grow(more);
    if (++steps == 20) break;
  }
  EXPECT_TRUE(rewriter.finish(*store));
  rewriter.keep();
  EXPECT_EQ(testing::decisions_in(*open_event_store(folder / "new", {})), last);
  return steps;
}

TEST(StoreRewriter, CopiesALogThatGrowsSlowly) { EXPECT_LT(steps_of_copy(100), 10); }

// It once went on until the others stopped.
TEST(StoreRewriter, DoesNotFollowALogThatGrowsAsFastForEver) { EXPECT_LT(steps_of_copy(1000), 10); }

// After a power failure there must be one of the two.
TEST(ReplaceEventStore, RemovesNothingBeforeTheNewStoreIsOnDisk) {
  const testing::TemporaryFolder folder;
  testing::fill(folder / "log", 3);
  LogHead head;
  {
    const auto store = open_event_store(folder / "log", {});
    head = store->head();
    detail::rewrite_event_store(*store, folder / "new", {});
  }
  testing::folder_sync_fails = true;
  EXPECT_THROW(detail::replace_event_store(folder / "log", folder / "new", head), Error);
  EXPECT_THROW(detail::finish_replacing(folder / "log"), Error);
  testing::folder_sync_fails = false;
  EXPECT_TRUE(std::filesystem::exists(folder / "log" / "CURRENT"));
  EXPECT_TRUE(detail::is_being_replaced(folder / "log"));
  detail::finish_replacing(folder / "log");
  EXPECT_FALSE(detail::is_being_replaced(folder / "log"));
  EXPECT_EQ(testing::decisions_in(*open_event_store(folder / "log", {})), 3U);
}

}  // namespace
}  // namespace sau
