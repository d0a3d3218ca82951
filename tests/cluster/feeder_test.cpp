#include "cluster/feeder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/cluster_support.hpp"
#include "serve/model_file.hpp"
#include "support/temporary_folder.hpp"

namespace sau::detail {
namespace {

using sau::testing::TemporaryFolder;

// A trainer without a stream: the test hands it the messages.
class FedTrainer {
 public:
  explicit FedTrainer(std::filesystem::path folder) : folder_(std::move(folder)) { start(); }
  void start() {
    ServiceOptions options;
    options.folder = folder_;
    options.agent = kSmallAgent;
    options.store = [](const std::filesystem::path& path) {
      return open_event_store(path, {.sync = false});
    };
    service_ = make_local_service(std::move(options), true);
    feeder_.emplace(*service_, [](const std::string&) {});
  }
  void restart() {
    feeder_.reset();
    service_.reset();
    start();
  }
  Feeder& operator*() { return *feeder_; }
  Feeder* operator->() { return &*feeder_; }
  LocalService& service() { return *service_; }

  void take(const ShippedBatch& batch, Milliseconds time) {
    const auto message = feeder_->next(1, ++place_, time, encode(batch));
    const Status taken = feeder_->apply(message);
    ASSERT_TRUE(taken.ok()) << taken.failure().message;
  }
  LogHead head() {
    return service_->store().read([](const EventStore& store) { return store.head(); });
  }
  EventState event(const std::string& id) {
    return good(service_->store().read([&](const EventStore& store) { return store.event(id); }))
        .value_or(EventState{});
  }
  std::string model() {
    service_->settle();
    return service_->learned().model;
  }

 private:
  std::filesystem::path folder_;
  std::uint64_t place_ = 0;
  std::unique_ptr<LocalService> service_;
  std::optional<Feeder> feeder_;
};

std::string reward(const std::string& id, double value) {
  return encode(Spooled(SpooledReward{id, value}));
}
ShippedBatch shipped(const std::string& node, Sequence first, std::vector<std::string> records,
                     Sequence kept_from = 1) {
  return {node, first, kept_from, std::move(records)};
}

constexpr Milliseconds kStart = 1'700'000'000'000, kSecond = 1000;

TEST(Feeder, TakesEachRecordOnceHoweverOftenItComes) {
  const TemporaryFolder folder;
  FedTrainer trainer(folder / "t");
  trainer.take(shipped("n", 1, {encoded_decision("e1"), reward("e1", 1.0)}), kStart);
  const LogHead head = trainer.head();
  trainer.take(shipped("n", 1, {encoded_decision("e1"), reward("e1", 1.0)}), kStart + 1);
  EXPECT_EQ(trainer.head().last, head.last);
  trainer.take(shipped("n", 2, {reward("e1", 1.0), encoded_decision("e2")}), kStart + 2);
  EXPECT_EQ(trainer.head().last, head.last + 1);
  EXPECT_EQ(trainer->positions().at("n"), 3U);
  EXPECT_EQ(trainer->counts().repeated_records, 3U);
}

TEST(Feeder, RefusesRecordsAfterAGapUntilTheMissingOnesCome) {
  const TemporaryFolder folder;
  FedTrainer trainer(folder / "t");
  trainer.take(shipped("n", 1, {encoded_decision("e1")}), kStart);
  trainer.take(shipped("n", 3, {encoded_decision("e3")}), kStart);
  EXPECT_EQ(trainer->positions().at("n"), 1U);
  EXPECT_EQ(trainer->misses(), std::set<std::string>{"n"});
  EXPECT_FALSE(trainer->lost_before(encode(shipped("n", 3, {encoded_decision("e3")}, 2))));
  trainer.take(shipped("n", 2, {encoded_decision("e2"), encoded_decision("e3")}), kStart);
  EXPECT_EQ(trainer->positions().at("n"), 3U);
  EXPECT_TRUE(trainer->misses().empty());
}

TEST(Feeder, WhatEveryNodeHasDroppedCanOnlyBeGivenUp) {
  const TemporaryFolder folder;
  FedTrainer leader(folder / "leader"), standby(folder / "standby");
  leader.take(shipped("n", 1, {encoded_decision("e1")}), kStart);
  // Another trainer had records 2 to 7.
  const auto next = shipped("n", 9, {encoded_decision("e9")}, 8);
  EXPECT_FALSE(leader->lost_before("n", 2));
  EXPECT_FALSE(leader->lost_before("nonsense"));
  const auto lost = leader->lost_before(encode(next));
  ASSERT_TRUE(lost);
  leader.take(*lost, 0);
  EXPECT_EQ(leader->counts().given_up, 6U);
  EXPECT_EQ(leader->positions().at("n"), 7U);
  // Record 8 is still in the spool.
  leader.take(next, kStart);
  EXPECT_EQ(leader->misses(), std::set<std::string>{"n"});
  leader.take(shipped("n", 8, {encoded_decision("e8"), encoded_decision("e9")}, 8), kStart);
  EXPECT_EQ(leader->positions().at("n"), 9U);
  // A standby does the same.
  for (const std::string& each : good(leader->taken(1, 100'000))) {
    const Status taken = standby->apply(good(decode_taken(each)));
    ASSERT_TRUE(taken.ok()) << taken.failure().message;
  }
  EXPECT_EQ(standby->positions(), leader->positions());
  EXPECT_EQ(standby.head().chain, leader.head().chain);
  EXPECT_EQ(standby->counts().given_up, 6U);
}

TEST(Feeder, ARewardWaitsForItsDecisionEvenAcrossARestart) {
  const TemporaryFolder folder;
  FedTrainer trainer(folder / "t");
  trainer.take(shipped("two", 1, {reward("e1", 0.5)}), kStart);
  EXPECT_EQ(trainer.service().early_rewards(), 1U);
  trainer.restart();
  trainer.take(shipped("one", 1, {encoded_decision("e1")}), kStart + kSecond);
  EXPECT_EQ(trainer.service().early_rewards(), 0U);
  EXPECT_EQ(trainer.event("e1").phase, EventPhase::kCompleted);
  EXPECT_EQ(trainer.event("e1").final_reward, 0.5);
}

TEST(Feeder, ARewardWhoseDecisionNeverComesIsDroppedAndCounted) {
  const TemporaryFolder folder;
  FedTrainer trainer(folder / "t");
  trainer.take(shipped("n", 1, {reward("ghost", 0.5)}), kStart);
  // It waits for a day: its decision may be in the spool of a node that is down.
  for (int i = 1; i <= 100; ++i) trainer.take({}, kStart + i * 10 * kSecond);
  EXPECT_EQ(trainer.service().early_rewards(), 1U);
  for (int i = 101; i <= 8641; ++i) trainer.take({}, kStart + i * 10 * kSecond);
  EXPECT_EQ(trainer.service().early_rewards(), 0U);
  EXPECT_EQ(trainer->counts().unknown, 1U);
}

TEST(Feeder, TheFirstDecisionOfAnEventCounts) {
  const TemporaryFolder folder;
  FedTrainer trainer(folder / "t");
  trainer.take(shipped("one", 1, {encoded_decision("e1")}), kStart);
  trainer.take(shipped("two", 1, {encoded_decision("e1")}), kStart);
  EXPECT_EQ(trainer.head().decisions, 1U);
  EXPECT_EQ(trainer->counts().repeated_decisions, 1U);
  EXPECT_EQ(trainer->counts().contradicting, 0U);
}

TEST(Feeder, APauseOfTheStreamExpiresNothing) {
  const TemporaryFolder folder;
  FedTrainer trainer(folder / "t");
  trainer.take(shipped("n", 1, {encoded_decision("e1")}), kStart);
  const Milliseconds later = kStart + 3 * 3600 * kSecond;
  trainer.take(shipped("n", 2, {reward("e1", 1.0)}), later);
  EXPECT_EQ(trainer.event("e1").phase, EventPhase::kCompleted);
  trainer.take(shipped("n", 3, {encoded_decision("e2")}), later);
  for (int i = 1; i <= 61; ++i) trainer.take({}, later + i * 10 * kSecond);
  EXPECT_EQ(trainer.event("e2").phase, EventPhase::kMissing);
}

TEST(Feeder, LogAndModelDependOnTheMessagesAlone) {
  // One trainer restarts again and again, the other never; the second takes the first one's
  // messages.
  const TemporaryFolder folder;
  FedTrainer leader(folder / "leader"), standby(folder / "standby");
  Sequence next = 1;
  for (int round = 0; round < 12; ++round) {
    std::vector<std::string> records;
    for (int i = 0; i < 300; ++i) {
      const std::string id = fmt::format("e{}-{}", round, i);
      records.push_back(encoded_decision(id));
      if (i % 3 == 0) records.push_back(reward(id, 0.25 * (i % 4)));
      if (i % 50 == 1 && round > 0)
        records.push_back(reward(fmt::format("e{}-{}", round - 1, i), 1));
    }
    const std::size_t count = records.size();
    leader.take(shipped("n", next, std::move(records)), kStart + round * 70 * kSecond);
    next += count;
    // Ticks, in which events expire.
    for (int i = 1; i < 7; ++i) leader.take({}, kStart + (round * 70 + i * 9) * kSecond);
    if (round % 3 == 1) leader.restart();
    for (;;) {
      const auto messages = good(leader->taken(standby->place().number + 1, 10'000));
      if (messages.empty()) break;
      for (const std::string& each : messages) {
        const Status taken = standby->apply(good(decode_taken(each)));
        ASSERT_TRUE(taken.ok()) << taken.failure().message;
      }
    }
    ASSERT_EQ(standby.head().chain, leader.head().chain) << round;
  }
  EXPECT_GT(leader.head().last, 4000U);
  EXPECT_EQ(leader->agrees(standby->place().number, standby.head().last, standby.head().chain),
            true);
  EXPECT_EQ(leader->agrees(standby->place().number, standby.head().last, 7), false);
  EXPECT_EQ(standby.model(), leader.model());
}

TEST(Feeder, MessagesOfAnotherLogAreRefused) {
  const TemporaryFolder folder;
  FedTrainer one(folder / "one"), two(folder / "two");
  one.take(shipped("n", 1, {encoded_decision("e1")}), kStart);
  two.take(shipped("n", 1, {encoded_decision("other")}), kStart);
  one.take(shipped("n", 2, {reward("e1", 1.0)}), kStart);
  const auto messages = good(one->taken(2, 1));
  ASSERT_EQ(messages.size(), 1U);
  const Status taken = two->apply(good(decode_taken(messages.front())));
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.failure().code, Failure::Code::kConflict);
}

TEST(Feeder, WhatCannotBeReadIsSkippedAndCounted) {
  const TemporaryFolder folder;
  FedTrainer trainer(folder / "t");
  ASSERT_TRUE(trainer->apply(trainer->next(1, 1, kStart, "nonsense")).ok());
  trainer.take(shipped("n", 1, {"nonsense", encoded_decision("e1")}), kStart);
  EXPECT_EQ(trainer->counts().unreadable, 2U);
  EXPECT_EQ(trainer->positions().at("n"), 2U);
  EXPECT_EQ(trainer.head().decisions, 1U);
}

}  // namespace
}  // namespace sau::detail
