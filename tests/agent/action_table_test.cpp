#include "sau/agent/action_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sau/core/rng.hpp"
#include "sau/core/text.hpp"

namespace sau::action_table_test {
namespace {

std::string name(std::uint64_t i) { return "action " + std::to_string(i); }
std::uint64_t hash_of(std::uint64_t i) { return scope_of(name(i)); }

void see(ActionTable& table, std::uint64_t i, std::uint64_t event, double residual = 0.0,
         double reward = 0.0) {
  IdRecord& record = table.record(hash_of(i), name(i), event);
  ++record.count;
  record.squares += residual * residual;
  record.reward_sum += reward;
  record.last_seen = event;
}

TEST(ActionTable, AddsUpCountsSquaresAndRewards) {
  ActionTable table(16);
  EXPECT_EQ(table.find(hash_of(1)), nullptr);
  see(table, 1, 1, 0.5, 2.0);
  see(table, 1, 4, -1.0, 0.25);
  const IdRecord* known = table.find(hash_of(1));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->count, 2u);
  EXPECT_EQ(known->squares, 1.0 + 0.25 + 1.0);  // 1 at the start
  EXPECT_EQ(known->reward_sum, 2.25);
  EXPECT_EQ(known->last_seen, 4u);
  EXPECT_EQ(table.size(), 1u);
}

TEST(ActionTable, NeverHoldsMoreThanItsCapacity) {
  for (const std::uint64_t capacity : {16u, 100u, 1000u}) {
    ActionTable table(capacity);
    for (std::uint64_t i = 0; i < 5 * capacity; ++i) {
      see(table, i, i + 1);
      ASSERT_LE(table.size(), capacity);
      ASSERT_NE(table.find(hash_of(i)), nullptr);  // the new one is there
    }
    EXPECT_GE(table.size(), capacity - capacity / 16);
  }
}

// Capacity 32: two are forgotten at a time. The worth of action i at event 65 is
// log2(n) - age / 32:
//   seen once, at event 1 + i: -(64 - i) / 32. The lowest are 0 and 1, but action 0 was seen
//   another 7 times, at event 1: log2(8) - 64 / 32 = 1.
TEST(ActionTable, ForgetsTheActionsSeenLeastAndLongestAgo) {
  ActionTable table(32);
  for (int again = 0; again < 7; ++again) see(table, 0, 1);
  for (std::uint64_t i = 0; i < 32; ++i) see(table, i, 1 + i);
  EXPECT_EQ(table.size(), 32u);
  see(table, 100, 65);
  EXPECT_EQ(table.size(), 31u);
  EXPECT_NE(table.find(hash_of(0)), nullptr);
  EXPECT_EQ(table.find(hash_of(1)), nullptr);
  EXPECT_EQ(table.find(hash_of(2)), nullptr);
  for (std::uint64_t i = 3; i < 32; ++i) EXPECT_NE(table.find(hash_of(i)), nullptr) << i;
}

TEST(ActionTable, ACountFadesWithItsAge) {
  ActionTable table(16);
  for (int again = 0; again < 8; ++again) see(table, 0, 8);  // worth 3 - age / 16
  for (std::uint64_t i = 1; i < 16; ++i) see(table, i, 1000);
  see(table, 99, 1001);  // 3 - 62 is less than 0
  EXPECT_EQ(table.find(hash_of(0)), nullptr);
}

TEST(ActionTable, SeeingAKnownActionForgetsNone) {
  ActionTable table(16);
  for (std::uint64_t i = 0; i < 16; ++i) see(table, i, i + 1);
  see(table, 0, 17);
  EXPECT_EQ(table.size(), 16u);
}

TEST(ActionTable, SortsByCountThenByName) {
  ActionTable table(16);
  for (const std::uint64_t i : {5u, 3u, 3u, 4u}) see(table, i, 1, 0.0, 0.5);
  const auto records = table.most_counted(10);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].id, "action 3");
  EXPECT_EQ(records[0].count, 2u);
  EXPECT_EQ(records[0].reward_sum, 1.0);
  EXPECT_EQ(records[1].id, "action 4");
  EXPECT_EQ(records[2].id, "action 5");
  EXPECT_EQ(table.most_counted(1).size(), 1u);
  EXPECT_TRUE(table.most_counted(0).empty());
}

TEST(ActionTable, ACopyDoesNotChange) {
  ActionTable table(100);
  for (std::uint64_t i = 0; i < 100; ++i) see(table, i, i + 1);
  const ActionTable copy = table.shared();
  for (std::uint64_t i = 100; i < 200; ++i) see(table, i, i + 1);
  EXPECT_EQ(copy.size(), 100u);
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_NE(copy.find(hash_of(i)), nullptr);
    EXPECT_EQ(copy.find(hash_of(i))->count, 1u);
  }
}

TEST(ActionTable, IsTheSameAfterSavingAndLoading) {
  constexpr double kStart = 0.25;
  ActionTable one(64, kStart), two(64, kStart);
  Rng rng(Stream{.seed = 3});
  std::uint64_t event = 0;
  const auto more = [&](ActionTable& table, Rng& from) {
    std::uint64_t at = event;
    for (int i = 0; i < 300; ++i) see(table, from.below(150), ++at, from.normal(), from.uniform());
  };
  more(one, rng);
  event += 300;
  StateWriter saved;
  one.save(saved);
  StateReader reader(saved.bytes());
  two.load(reader);
  reader.finish();
  Rng again = rng;
  more(one, rng);
  more(two, again);
  StateWriter first, second;
  one.save(first);
  two.save(second);
  EXPECT_EQ(first.bytes(), second.bytes());
}

TEST(ActionTable, ATableThatDoesNotFitIsRefused) {
  ActionTable large(64), small(16);
  for (std::uint64_t i = 0; i < 40; ++i) see(large, i, i + 1);
  StateWriter saved;
  large.save(saved);
  StateReader reader(saved.bytes());
  EXPECT_THROW(small.load(reader), Error);
}

}  // namespace
}  // namespace sau::action_table_test
