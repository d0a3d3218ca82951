#include "cluster/shipper.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/temporary_folder.hpp"

namespace sau::detail {
namespace {

using sau::testing::TemporaryFolder;

// A stream in memory that can refuse, forget, and lose its answers.
class FakeStream {
 public:
  Result<std::uint64_t> append(const std::string& id, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (refuses_ > 0) {
      --refuses_;
      return Failure{Failure::Code::kUnavailable, "not now"};
    }
    if (ids_.emplace(id, true).second) messages_.emplace_back(bytes);
    if (mute_ > 0) {
      --mute_;
      return Failure{Failure::Code::kUnavailable, "the answer was lost"};
    }
    return messages_.size();
  }
  void refuse(int count) {
    const std::lock_guard lock(mutex_);
    refuses_ = count;
  }
  void lose_answers(int count) {
    const std::lock_guard lock(mutex_);
    mute_ = count;
  }
  void wipe() {
    const std::lock_guard lock(mutex_);
    messages_.clear();
    ids_.clear();
  }
  // The records as a trainer would take them: only the next one of the node.
  std::vector<std::string> taken(Sequence after = 0) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> records;
    for (const std::string& message : messages_) {
      const auto batch = decode_shipped(message);
      EXPECT_TRUE(batch.ok());
      Sequence number = batch.value().first;
      for (const std::string& record : batch.value().records) {
        if (number++ == after + records.size() + 1) records.push_back(record);
      }
    }
    return records;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
  std::map<std::string, bool> ids_;
  int refuses_ = 0, mute_ = 0;
};

class ShipperTest : public ::testing::Test {
 protected:
  ShipperOptions options() {
    return {.node = "n",
            .message_bytes = 30,
            .pause = std::chrono::milliseconds(1),
            .retry = std::chrono::milliseconds(1),
            .patience = std::chrono::milliseconds(0),
            .append = [this](const std::string& id,
                             std::string_view bytes) { return stream_.append(id, bytes); },
            .shipped = [](Sequence) {},
            .note = [](const std::string&) {}};
  }
  void append(int count) {
    for (int i = 0; i < count; ++i) records_.push_back("record " + std::to_string(records_.size()));
    ASSERT_TRUE(spool_.append(std::span(records_).last(static_cast<std::size_t>(count))).ok());
  }
  static void wait(const Shipper& shipper, Sequence through) {
    while (shipper.shipped() < through) std::this_thread::yield();
  }

  TemporaryFolder folder_;
  FakeStream stream_;
  Spool spool_{folder_ / "spool", {}};
  std::vector<std::string> records_;
};

TEST_F(ShipperTest, ShipsEverythingInOrder) {
  append(20);
  Shipper shipper(spool_, options());
  shipper.start();
  wait(shipper, 20);
  append(5);
  shipper.wake();
  wait(shipper, 25);
  EXPECT_EQ(stream_.taken(), records_);
}

TEST_F(ShipperTest, SendsTheSameMessageUntilItIsConfirmed) {
  append(10);
  stream_.refuse(3);
  stream_.lose_answers(2);
  Shipper shipper(spool_, options());
  shipper.start();
  wait(shipper, 10);
  EXPECT_EQ(stream_.taken(), records_);
  EXPECT_GE(shipper.failures(), 5U);
}

TEST_F(ShipperTest, ShipsAgainWhatTheTrainerMissesAfterTheStreamWasLost) {
  append(10);
  Shipper shipper(spool_, options());
  shipper.start();
  wait(shipper, 10);
  shipper.trainer_has(4, false, false);
  EXPECT_EQ(spool_.first(), 5U);
  stream_.wipe();
  shipper.trainer_has(4, false, true);  // it has read the stream to its end
  while (shipper.rewound() == 0) std::this_thread::yield();
  wait(shipper, 10);
  EXPECT_EQ(stream_.taken(4), (std::vector<std::string>(records_.begin() + 4, records_.end())));
}

TEST_F(ShipperTest, ARestartShipsWhatTheTrainerDoesNotHave) {
  append(10);
  {
    Shipper shipper(spool_, options());
    shipper.start();
    wait(shipper, 10);
    shipper.trainer_has(7, false, false);
  }
  stream_.wipe();
  Shipper shipper(spool_, options());
  shipper.start();
  wait(shipper, 10);
  EXPECT_EQ(stream_.taken(7), (std::vector<std::string>(records_.begin() + 7, records_.end())));
}

}  // namespace
}  // namespace sau::detail
