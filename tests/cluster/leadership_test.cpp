#include "cluster/leadership.hpp"

#include <gtest/gtest.h>

#include "sau/core/file.hpp"
#include "support/temporary_folder.hpp"

namespace sau::detail {
namespace {

using sau::testing::TemporaryFolder;
using namespace std::chrono_literals;

class LeadershipTest : public ::testing::Test {
 protected:
  using Stream = Leadership::Stream;
  using Holder = Leadership::Holder;
  std::unique_ptr<Leadership> make(const std::string& name, bool forced = false) {
    std::filesystem::create_directories(folder_ / name);
    return std::make_unique<Leadership>(folder_ / name, "app", forced, [](const std::string&) {});
  }
  bool may(Leadership& who, std::uint64_t number, Stream stream) const {
    std::string why;
    return who.may_lead({number, 1, 1}, stream, now_, why);
  }
  // Takes a free lease.
  void lead(Leadership& who) {
    static_cast<void>(who.next_lease());
    who.took(1, true, now_);
  }
  static void tell(const Leadership& who, Leadership& other, std::uint64_t number,
                   Leadership::Clock::time_point when) {
    other.heard(who.presence({number, 1, 1}, ""), when);
  }
  TemporaryFolder folder_;
  Leadership::Clock::time_point now_ = Leadership::Clock::now() + 60s;
};

TEST_F(LeadershipTest, WhileTheStreamLivesAnybodyMayLead) {
  const auto one = make("one");
  EXPECT_TRUE(may(*one, 5, Stream::kSame));
  EXPECT_FALSE(may(*one, 5, Stream::kUnknown));
}

TEST_F(LeadershipTest, AfterItWasLostTheLongestLogLeadsAndNobodyMayBeMissing) {
  const auto one = make("one"), two = make("two");
  EXPECT_FALSE(may(*one, 5, Stream::kOther));  // it listens first
  now_ += 10s;
  EXPECT_TRUE(may(*one, 5, Stream::kOther));  // it knows of no other
  tell(*two, *one, 7, now_);
  EXPECT_FALSE(may(*one, 5, Stream::kOther));
  EXPECT_TRUE(may(*one, 8, Stream::kOther));
  now_ += 10s;
  EXPECT_FALSE(may(*one, 8, Stream::kOther));  // the other one is not heard any more
  const auto again = make("one");              // after a restart it still knows of the other
  EXPECT_FALSE(may(*again, 8, Stream::kOther));
  now_ += 10s;
  EXPECT_FALSE(may(*again, 8, Stream::kOther));
  EXPECT_TRUE(may(*make("one", true), 8, Stream::kOther));
}

TEST_F(LeadershipTest, WhatTheLeaderSaidBeforeTheStreamWasLostIsNotItsLastWord) {
  const auto standby = make("standby"), leader = make("leader");
  lead(*leader);
  tell(*leader, *standby, 5, now_);
  // The leader goes on to 9, then it and the stream are lost at the same moment.
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(may(*standby, 6, Stream::kOther)) << i;
    now_ += 500ms;
  }
  // It is back, and says so.
  tell(*leader, *standby, 9, now_);
  EXPECT_FALSE(may(*standby, 6, Stream::kOther));
  tell(*leader, *standby, 9, now_);
  EXPECT_TRUE(may(*standby, 10, Stream::kOther));
}

TEST_F(LeadershipTest, ALeaderThatWasLostBeforeItWasHeardIsMissed) {
  const auto standby = make("standby"), leader = make("leader");
  lead(*leader);
  standby->lost_to(leader->lease());
  EXPECT_FALSE(may(*standby, 5, Stream::kOther));
  now_ += 10s;
  EXPECT_FALSE(may(*standby, 5, Stream::kOther));
  const auto again = make("standby");  // after a restart too
  EXPECT_FALSE(may(*again, 5, Stream::kOther));
  now_ += 10s;
  EXPECT_FALSE(may(*again, 5, Stream::kOther));
}

TEST_F(LeadershipTest, EqualLogsAreLedByWhoLedLast) {
  const auto one = make("one"), two = make("two");
  lead(*one);
  for (const auto& each : {std::pair(&*one, &*two), std::pair(&*two, &*one)}) {
    EXPECT_FALSE(may(*each.second, 5, Stream::kOther));
  }
  now_ += 10s;
  tell(*one, *two, 5, now_);
  tell(*two, *one, 5, now_);
  EXPECT_TRUE(may(*one, 5, Stream::kOther));
  EXPECT_FALSE(may(*two, 5, Stream::kOther));
}

TEST_F(LeadershipTest, ALeaderWithoutALeaseStepsDown) {
  const auto one = make("one");
  lead(*one);
  EXPECT_TRUE(one->leads(now_));
  one->not_renewed(now_ + 1s);
  EXPECT_TRUE(one->leads(now_ + 1s));
  // Even before it notices: the process may have been stopped for a while.
  EXPECT_FALSE(one->leads(now_ + 2 * Leadership::kLease));
  one->not_renewed(now_ + 2 * Leadership::kLease);
  EXPECT_FALSE(one->leads(now_));
}

TEST_F(LeadershipTest, ACopyOfAFolderDoesNotLeadBesideTheOriginal) {
  const auto one = make("one");
  std::filesystem::create_directories(folder_ / "copy");
  write_file(folder_ / "copy" / "trainer.json", read_file(folder_ / "one" / "trainer.json"));
  const auto copy = make("copy");
  ASSERT_EQ(copy->trainer(), one->trainer());
  // Neither leads: one of the two goes on.
  tell(*one, *copy, 5, now_);
  tell(*copy, *one, 5, now_);
  EXPECT_NE(one->twin(now_).empty(), copy->twin(now_).empty());
  // The one that leads goes on.
  now_ = Leadership::Clock::now();  // as presence() does
  lead(*one);
  tell(*one, *copy, 5, now_);
  tell(*copy, *one, 5, now_);
  EXPECT_EQ(one->twin(now_), "");
  EXPECT_NE(copy->twin(now_).find("trainer.json"), std::string::npos);
  // The copy does not take the lease for its own from before a restart.
  EXPECT_EQ(copy->holder(one->lease(), now_ + 60s), Holder::kOther);
  EXPECT_EQ(one->holder(one->lease(), now_ + 60s), Holder::kThis);
  // Once the other is silent, it recovers.
  EXPECT_EQ(copy->twin(now_ + 60s), "");
}

TEST_F(LeadershipTest, AfterARestartItsOldLeaseIsItsOwnOnceNoCopyHasSpoken) {
  const auto before = make("one");
  lead(*before);
  const std::string lease = before->lease();
  const auto after = make("one");
  EXPECT_EQ(after->holder(lease, Leadership::Clock::now()), Holder::kOther);
  EXPECT_EQ(after->holder(lease, Leadership::Clock::now() + 10s), Holder::kThis);
  EXPECT_EQ(make("two")->holder(lease, now_), Holder::kOther);
  EXPECT_EQ(make("two")->holder(before->released(), now_), Holder::kNobody);
}

TEST_F(LeadershipTest, AnEpochThatNodesKnowIsPassed) {
  const auto one = make("one");
  lead(*one);
  EXPECT_EQ(one->epoch(), 1U);
  EXPECT_FALSE(one->outdated());
  one->heard_epoch(7);  // its folder was restored from a backup
  EXPECT_TRUE(one->outdated());
  EXPECT_EQ(one->epoch(), 1U);
  lead(*one);
  EXPECT_FALSE(one->outdated());
  EXPECT_EQ(one->epoch(), 8U);
}

TEST_F(LeadershipTest, WhoCannotWriteItsEpochGetsNoLease) {
  const auto one = make("one");
  std::filesystem::remove_all(folder_ / "one");
  EXPECT_THROW(static_cast<void>(one->next_lease()), Error);
  EXPECT_FALSE(one->leads());
}

}  // namespace
}  // namespace sau::detail
