#include "cluster/stream_order.hpp"

#include <gtest/gtest.h>

#include "cluster/cluster_support.hpp"
#include "cluster/message.hpp"

namespace sau::detail {
namespace {

// A stream in memory, from which messages may be missing.
class StreamOrderTest : public ::testing::Test {
 protected:
  std::uint64_t ship(const std::string& node, std::vector<std::string> records) {
    messages_.push_back(encode(ShippedBatch{node, 1, 1, std::move(records)}));
    return messages_.size();
  }
  Status read_to(std::uint64_t number) { return order_.read_to(number, messages_[number - 1]); }
  std::optional<std::uint64_t> fingerprint(const std::string& id) const {
    const auto first = order_.first(id);
    return first ? std::optional(first->fingerprint) : std::nullopt;
  }

  std::vector<std::string> messages_;
  int reads_ = 0;
  bool fails_ = false;
  StreamOrder order_{[this](std::uint64_t number) -> Result<std::optional<StreamMessage>> {
    ++reads_;
    if (fails_) return Failure{Failure::Code::kUnavailable, "not now"};
    const std::string& bytes = messages_[number - 1];
    if (bytes.empty()) return std::optional<StreamMessage>();
    return std::optional(StreamMessage{bytes, 0});
  }};
};

TEST_F(StreamOrderTest, TheFirstDecisionOfAnEventIsTheOneThatCameFirstInTheStream) {
  ship("other", {encoded_decision("e1", "a")});
  ASSERT_TRUE(
      read_to(ship("own", {encoded_decision("e1", "b"), encoded_decision("e2", "b")})).ok());
  ASSERT_TRUE(order_.first("e1"));
  EXPECT_EQ(order_.first("e1")->answer.ranking.front().id, "a");
  EXPECT_EQ(order_.first("e2")->answer.ranking.front().id, "b");
  EXPECT_FALSE(order_.first("e3"));
}

TEST_F(StreamOrderTest, EachMessageIsReadOnceAndAFailureIsMadeGood) {
  ship("other", {encoded_decision("e1", "a")});
  const auto own = ship("own", {encoded_decision("e1", "b")});
  fails_ = true;
  EXPECT_FALSE(read_to(own).ok());
  EXPECT_FALSE(order_.first("e1"));
  fails_ = false;
  ASSERT_TRUE(read_to(own).ok());
  ASSERT_TRUE(read_to(own).ok());  // shipped again: it has its old number
  EXPECT_EQ(reads_, 2);            // the failed one, and the other node's
  ship("other", {"nonsense"});
  messages_.emplace_back();  // lost
  ASSERT_TRUE(read_to(ship("own", {encoded_decision("e2", "b")})).ok());
  EXPECT_EQ(reads_, 4);
  EXPECT_EQ(order_.first("e1")->answer.ranking.front().id, "a");
  EXPECT_EQ(order_.first("e2")->answer.ranking.front().id, "b");
}

TEST_F(StreamOrderTest, ANewStreamIsReadFromItsBeginning) {
  for (int i = 0; i < 1200; ++i) ship("other", {});
  ASSERT_TRUE(read_to(ship("own", {})).ok());
  EXPECT_EQ(reads_, 500);  // no more than that before the first
  messages_.clear();
  ship("other", {encoded_decision("e1", "a")});
  ASSERT_TRUE(read_to(ship("own", {encoded_decision("e1", "b")})).ok());
  EXPECT_EQ(order_.first("e1")->answer.ranking.front().id, "a");
}

}  // namespace
}  // namespace sau::detail
