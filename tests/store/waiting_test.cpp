// Which decisions wait for a reward.
#include <gtest/gtest.h>
#include <malloc.h>

#include "store/store_support.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using testing::batch_of;
using testing::TemporaryFolder;
using testing::waiting_in;

std::vector<Sequence> numbers_of(const std::vector<WaitingDecision>& waiting) {
  std::vector<Sequence> decisions;
  for (const WaitingDecision& each : waiting) decisions.push_back(each.decision);
  return decisions;
}

TEST(Waiting, IsKnownFromWhatHappened) {
  const TemporaryFolder folder;
  auto store = open_event_store(folder / "s", {});
  // Ranked and settled in one batch; then entries of every kind, three of which settle a decision.
  StoreBatch both = batch_of(1);
  both.entries.emplace_back(2, Entry{.decision = 1, .completes = true});
  both.states.emplace_back(1, EventState{.decision = 1, .phase = EventPhase::kCompleted});
  ASSERT_TRUE(store->write(both).ok());
  for (Sequence i = 3; i <= 8; ++i) ASSERT_TRUE(store->write(batch_of(i)).ok());
  EXPECT_EQ(numbers_of(waiting_in(*store)), (std::vector<Sequence>{3, 4, 5, 6, 7, 8}));
  StoreBatch later;
  later.entries = {{9, {.kind = EntryKind::kReward, .decision = 3}},
                   {10, {.kind = EntryKind::kReward, .decision = 4, .completes = true}},
                   {11, {.kind = EntryKind::kActivated, .decision = 5}},
                   {12, {.kind = EntryKind::kExpired, .decision = 6}},
                   {13, {.kind = EntryKind::kLateReward, .decision = 7}},
                   {14, {.kind = EntryKind::kExpired, .decision = 8, .completes = true}}};
  later.states = {{3, {.decision = 3, .rewards = 1}},
                  {4, {.decision = 4, .phase = EventPhase::kCompleted}},
                  {5, {.decision = 5}},
                  {6, {.decision = 6, .phase = EventPhase::kDropped}},
                  {7, {.decision = 7, .late = 1}},
                  {8, {.decision = 8, .phase = EventPhase::kMissing}}};
  ASSERT_TRUE(store->write(later).ok());
  EXPECT_EQ(numbers_of(waiting_in(*store)), (std::vector<Sequence>{3, 5, 7}));
  // Something has happened to each of them; a late reward counts, too.
  for (const WaitingDecision& each : waiting_in(*store)) EXPECT_FALSE(each.plain) << each.decision;
  // Two are completed together, with the default reward.
  for (Sequence i = 15; i <= 17; ++i) ASSERT_TRUE(store->write(batch_of(i)).ok());
  StoreBatch missing;
  missing.entries.emplace_back(
      18, Entry{.kind = EntryKind::kMissing, .completes = true, .value = 0.5, .missing = {15, 16}});
  ASSERT_TRUE(store->write(missing).ok());
  store.reset();
  const auto waiting = waiting_in(*open_event_store(folder / "s", {.read_only = true}));
  EXPECT_EQ(numbers_of(waiting), (std::vector<Sequence>{3, 5, 7, 17}));
  EXPECT_TRUE(waiting.back().plain);
  EXPECT_EQ(waiting.back().time, 17);
}

// One event that waits long keeps all later ones in the part of the log that is read at a start.
TEST(Waiting, SettledDecisionsTakeNoMemoryAtAStart) {
  constexpr Sequence kDecisions = 400'000, kAtOnce = 1000;
  const TemporaryFolder folder;
  const auto store = open_event_store(folder / "s", {.sync = false});
  const StoreBatch one = batch_of(1);
  for (Sequence i = 0; i < kDecisions; i += kAtOnce) {
    StoreBatch batch;
    for (Sequence j = 1; j <= kAtOnce; ++j) {
      batch.decisions.emplace_back(i + j, one.decisions[0].second);
    }
    ASSERT_TRUE(store->write(batch).ok());
  }
  // All but the first one and the last one.
  for (Sequence i = 2; i < kDecisions; i += kAtOnce) {
    Entry list{.kind = EntryKind::kMissing, .decision = i, .completes = true};
    for (Sequence j = i; j < std::min(i + kAtOnce, kDecisions); ++j) list.missing.push_back(j);
    StoreBatch batch;
    batch.entries.emplace_back(store->head().last + 1, list);
    ASSERT_TRUE(store->write(batch).ok());
  }
  const auto used = [] {
    const struct mallinfo2 memory = ::mallinfo2();
    return memory.uordblks + memory.hblkhd;
  };
  const std::size_t before = used();
  std::vector<Sequence> found;
  std::size_t most = 0;
  const Status read = store->waiting([&](const WaitingDecision& each) {
    found.push_back(each.decision);
    most = std::max(most, used() - std::min(before, used()));
  });
  EXPECT_TRUE(read.ok());
  EXPECT_EQ(found, (std::vector<Sequence>{1, kDecisions}));
  // A list of all decisions would take 24 bytes for each.
  EXPECT_LT(most, kDecisions * 24 / 2);
  RecordProperty("most", static_cast<int>(most));
}

}  // namespace
}  // namespace sau
