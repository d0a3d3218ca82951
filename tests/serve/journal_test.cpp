#include "serve/journal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "sau/serve/configuration.hpp"
#include "sau/store/event_store.hpp"
#include "serve/serve_support.hpp"
#include "support/temporary_folder.hpp"

namespace sau::detail {
namespace {

struct Silent final : JournalObserver {
  void ranked(const RankOperation&, Milliseconds) override {}
  void rewarded(double, Milliseconds, bool) override {}
  void expired(EventPhase, std::size_t) override {}
  void written(double) override {}
};

RankOperation operation_of(const std::string& event_id, Answer<RankAnswer> done) {
  Decision decision;
  decision.event_id = event_id;
  decision.actions.resize(1);
  decision.request = testing::simple_request(event_id);
  RankOperation operation;
  encode(decision, operation.record);
  operation.answer.event_id = event_id;
  operation.answer.ranking.push_back({"a", 1.0});
  operation.done = std::move(done);
  return operation;
}

// Else there is a moment in which nothing waits and nothing is left to learn, though an event that
// has just expired was not learned.
TEST(Journal, AnEventWaitsUntilTheLearnerIsTold) {
  const testing::TemporaryFolder folder;
  SharedStore store(open_event_store(folder / "log", {.sync = false}));
  Current<Configuration> configuration(std::make_shared<const Configuration>());
  const Milliseconds wait = configuration.get()->reward_wait_time;
  std::atomic<Milliseconds> time{1'000'000};
  Silent observer;
  std::vector<std::size_t> waiting_when_told;  // written by the journal thread alone
  std::promise<void> expired;
  Journal* told = nullptr;
  JournalOptions options;
  options.clock = [&time] { return ClockReading{time, time}; };
  options.note = [](const std::string&) {};
  options.committed = [&](Sequence, Sequence last_entry) {
    waiting_when_told.push_back(told->waiting());
    if (last_entry > 0) expired.set_value();
  };
  options.removed = [](const LogHead&, const LogHead&) {};
  Journal journal(store, configuration, observer, std::move(options));
  told = &journal;
  journal.start();
  std::promise<void> ranked;
  journal.submit(operation_of("one", [&](const Result<RankAnswer>&) { ranked.set_value(); }));
  ranked.get_future().wait();
  EXPECT_EQ(journal.waiting(), 1u);
  time += wait + 1;
  journal.keep_head();  // looks at the clock
  expired.get_future().wait();
  journal.stop();
  EXPECT_EQ(waiting_when_told, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(journal.waiting(), 0u);
}

// The head that a batch keeps is that of before the batch. If the last event was completed by it,
// the log must not seem to wait for that event until another one comes.
TEST(Journal, AHeadKeptWithTheLastRewardIsKeptOnceMore) {
  const testing::TemporaryFolder folder;
  SharedStore store(open_event_store(folder / "log", {.sync = false}));
  Current<Configuration> configuration(std::make_shared<const Configuration>());
  Silent observer;
  const auto journal = [&] {
    JournalOptions options;
    options.clock = [] { return ClockReading{1'000'000, 1'000'000}; };
    options.note = [](const std::string&) {};
    options.committed = [](Sequence, Sequence) {};
    options.removed = [](const LogHead&, const LogHead&) {};
    return std::make_unique<Journal>(store, configuration, observer, std::move(options));
  };
  {
    const auto first = journal();
    first->start();
    std::promise<void> ranked;
    first->submit(operation_of("one", [&](const Result<RankAnswer>&) { ranked.set_value(); }));
    ranked.get_future().wait();
  }
  const auto second = journal();
  std::promise<Status> rewarded;
  second->submit(
      RewardOperation{"one", 1.0, [&](Status status) { rewarded.set_value(std::move(status)); }});
  second->keep_head();
  second->start();  // so both are in the first batch
  EXPECT_TRUE(rewarded.get_future().get().ok());
  second->keep_head();
  second->stop();
  const auto removable =
      store.read([](const EventStore& events) { return events.removable(2, 0, 2); });
  ASSERT_TRUE(good(removable).has_value());
  EXPECT_EQ(good(removable)->last, 2U);
}

// The first event can never be completed. The thread looks at 8192 slots at a time; here all of
// them but the first are settled.
TEST(Journal, SettledEventsBehindAStuckOneDoNotStopExpiry) {
  constexpr int kSettled = 8191;
  testing::TestService service;
  ASSERT_TRUE(service.configure(R"({"rewardWaitTime":"PT1M","rewardAggregation":"sum"})").ok());
  ASSERT_TRUE(service.rank(testing::simple_request("stuck")).ok());
  ASSERT_TRUE(service.reward("stuck", 1.0).ok());
  {
    const std::lock_guard lock(service.disk().mutex);
    service.disk().unreadable = 2;
  }
  for (int i = 0; i < kSettled; ++i) {
    ASSERT_TRUE(service.rank(testing::simple_request("e" + std::to_string(i))).ok());
  }
  service.time += 60'001;
  ASSERT_TRUE(testing::eventually([&] {
    static_cast<void>(service.reward("nobody", 0.0));  // wakes the thread
    return service.totals()["waiting"] == 1;
  }));
  ASSERT_TRUE(service.rank(testing::simple_request("last")).ok());
  service.time += 60'001;
  ASSERT_TRUE(testing::eventually([&] {
    static_cast<void>(service.reward("nobody", 0.0));
    return service.totals()["waiting"] == 1;
  }));
  EXPECT_NE(service.notes().find("the decision is damaged"), std::string::npos);
}

}  // namespace
}  // namespace sau::detail
