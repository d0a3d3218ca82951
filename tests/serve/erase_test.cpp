#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/serve_support.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::error_of;
using ::testing::HasSubstr;
using testing::TestService;

// Texts without repetitions, which no compression changes.
constexpr const char* kUser = "Xk3vQz9wJt";
constexpr const char* kPage = "Pg7Wq4Zx";

json visit_of(const std::string& event, const json& user) {
  return {{"eventId", event},
          {"contextFeatures", json::array({{{"profile", {{"user", user}}}}})},
          {"actions", json::array({{{"id", "a"}}, {{"id", "b"}}})}};
}

// The files below a folder in which a text is to be found.
std::vector<std::string> files_with(const fs::path& folder, const std::string& text) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && read_file(entry.path()).find(text) != std::string::npos) {
      found.push_back(entry.path().filename().string());
    }
  }
  return found;
}

// Ten visits of other people; in their midst, four of Alice, with a reward, without one by now,
// with a late one, and waiting.
class Erase : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.configure(R"({"rewardWaitTime":"PT1M"})").ok());
    visit("b0", 5, "bob");
    visit("night-rewarded", kUser, 1.0);
    rank("night-missing", kUser);
    rank("b-missing", "bob");
    service_.pass(120'000);
    service_->settle();
    ASSERT_TRUE(service_.reward("night-missing", 0.7251).ok());
    visit("b1", 5, "bob");
    rank("night-waiting", kUser);
    rank("b-waiting", "bob");
  }

  void rank(const std::string& event, const json& user) {
    ASSERT_TRUE(service_.rank(visit_of(event, user).dump()).ok());
  }
  void visit(const std::string& event, const json& user, double reward) {
    rank(event, user);
    ASSERT_TRUE(service_.reward(event, reward).ok());
  }
  void visit(const std::string& prefix, int events, const std::string& user) {
    for (int i = 0; i < events; ++i) visit(prefix + "-" + std::to_string(i), user, 0.25 * (i % 3));
  }
  std::string exported() const {
    std::string all;
    export_log(data_, LogFormat::kJsonLines, [&](const std::string& lines) { all += lines; });
    return all;
  }
  std::string state(const std::string& event) {
    const auto found = service_->decision(event);
    return found.ok() ? json::parse(found.value())["state"].get<std::string>() : "none";
  }

  TestService service_;
  const fs::path data_ = service_.folder() / "data";
};

TEST_F(Erase, NothingOfAUserIsLeftAndTheRestIsAsItWas) {
  const std::string before = service_->decision("b1-3").value();
  service_.stop();
  EXPECT_FALSE(files_with(data_, kUser).empty());
  EXPECT_FALSE(files_with(data_, "night-").empty());
  const LogCheck all = verify_log(data_);

  const Erased erased = erase_events(data_, {}, {{"user", kUser}});
  EXPECT_EQ(erased.events, 3U);
  EXPECT_EQ(erased.still_learned, 0U);
  EXPECT_THAT(files_with(data_, kUser), ::testing::IsEmpty());
  EXPECT_THAT(files_with(data_, "night-"), ::testing::IsEmpty());
  EXPECT_THAT(exported(), ::testing::Not(HasSubstr("0.7251"))) << "what she thought of it";

  const LogCheck rest = verify_log(data_);
  EXPECT_EQ(rest.decisions, all.decisions);
  EXPECT_EQ(rest.waiting, all.waiting - 1);
  const ReplayCheck replay = replay_log(data_);
  EXPECT_TRUE(replay.same);
  EXPECT_EQ(replay.replayed, erased.checksum);

  service_.start();
  EXPECT_EQ(service_.model_checksum(), erased.checksum);
  EXPECT_EQ(service_->decision("b1-3").value(), before);
  EXPECT_EQ(state("night-rewarded"), "none");
  EXPECT_FALSE(service_.reward("night-waiting", 1.0).ok());
  EXPECT_TRUE(service_.reward("b-waiting", 1.0).ok());
  visit("later", kUser, 0.5);
  service_->settle();
  service_.stop();
  EXPECT_TRUE(replay_log(data_).same);
  EXPECT_EQ(erase_events(data_, {}, {{"user", "nobody"}}).events, 0U);
  EXPECT_EQ(erase_events(data_, {}, {{"user", kUser}}).events, 1U);
  EXPECT_NO_THROW(verify_log(data_));
}

// The model that is left is the one that would have learned from the others alone.
TEST_F(Erase, TheModelIsThatWithoutTheEvents) {
  service_.stop();
  const testing::TemporaryFolder other;
  const fs::path copy = other / "copy";
  fs::copy(data_, copy, fs::copy_options::recursive);
  const Struck struck = strike_events(copy, {"night-rewarded", "night-missing"});
  EXPECT_EQ(erase_events(data_, {"night-missing", "night-rewarded"}, {}).checksum, struck.checksum);
}

TEST_F(Erase, AnUnknownEventOrAServerChangesNothing) {
  EXPECT_THAT(error_of([&] { erase_events(data_, {"b0-1"}, {}); }), HasSubstr("in use"));
  service_.stop();
  const std::string before = exported();
  EXPECT_THAT(error_of([&] { erase_events(data_, {"b0-1", "nobody"}, {}); }), HasSubstr("nobody"));
  EXPECT_EQ(exported(), before);
  EXPECT_NO_THROW(verify_log(data_));
}

TEST_F(Erase, NumbersListsAndActionsAreFound) {
  rank("number", 4711);
  rank("list", json::array({"x", kUser}));
  json request = visit_of("action", "bob");
  request["actions"][0]["features"] = json::array({{{"friend", kUser}}});
  ASSERT_TRUE(service_.rank(request.dump()).ok());
  service_.stop();
  EXPECT_EQ(erase_events(data_, {}, {{"user", "4711"}}).events, 1U);
  EXPECT_EQ(erase_events(data_, {}, {{"friend", kUser}}).events, 1U);
  EXPECT_EQ(erase_events(data_, {}, {{"user", kUser}}).events, 4U) << "with the list";
  EXPECT_NO_THROW(verify_log(data_));
}

TEST_F(Erase, AnEventWithSlotsIsErasedWhole) {
  json request = visit_of(kPage, "bob");
  request["slots"] = json::array(
      {{{"id", "top"}, {"baselineAction", "a"}}, {{"id", "side"}, {"baselineAction", "b"}}});
  ASSERT_TRUE(service_.rank_slots(request).ok());
  ASSERT_TRUE(service_.reward_slots(kPage, {{"top", 1.0}, {"side", 0.5}}).ok());
  service_->settle();
  service_.stop();
  EXPECT_FALSE(files_with(data_, kPage).empty());
  EXPECT_EQ(erase_events(data_, {kPage}, {}).events, 2U);
  EXPECT_THAT(files_with(data_, kPage), ::testing::IsEmpty());
  EXPECT_TRUE(replay_log(data_).same);
}

// What base.sau has learned stays: it has no ids and no requests.
TEST_F(Erase, WhatAFileHasLearnedIsSaid) {
  const auto applied = service_.apply_trained({.name = "x", .agent = service_->agent()});
  ASSERT_TRUE(applied.ok());
  service_->settle();
  service_.stop();
  const Erased erased = erase_events(data_, {"night-rewarded"}, {});
  EXPECT_EQ(erased.still_learned, 1U);
  EXPECT_THAT(files_with(data_, "night-rewarded"), ::testing::IsEmpty());
  EXPECT_TRUE(replay_log(data_).same);
  EXPECT_NO_THROW(verify_log(data_));
}

// The new log is complete, but not in its place yet.
TEST_F(Erase, AnInterruptedReplacementIsFinishedAtTheNextStart) {
  service_.stop();
  const testing::TemporaryFolder other;
  const fs::path old = other / "old";
  fs::copy(data_, old, fs::copy_options::recursive);
  const Erased erased = erase_events(data_, {}, {{"user", kUser}});
  fs::rename(data_ / "log", data_ / "log.next");
  fs::rename(data_ / "log.mark", data_ / "log.next.mark");
  fs::remove(data_ / "model.sau");
  fs::copy(old / "log", data_ / "log", fs::copy_options::recursive);
  fs::copy_file(old / "log.mark", data_ / "log.mark");
  service_.start();
  EXPECT_EQ(service_.model_checksum(), erased.checksum);
  service_.stop();
  EXPECT_THAT(files_with(data_, kUser), ::testing::IsEmpty());
  EXPECT_FALSE(fs::exists(data_ / "log.next"));
}

}  // namespace
}  // namespace sau
