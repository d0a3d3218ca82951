#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "sau/core/error.hpp"
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

bool has_text(const fs::path& file, const std::string& text) {
  try {
    return read_file(file).find(text) != std::string::npos;
  } catch (const Error&) {  // a running service has just removed it
    return false;
  }
}

// The files below a folder in which a text is to be found.
std::vector<std::string> files_with(const fs::path& folder, const std::string& text) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && has_text(entry.path(), text)) {
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
  for (const char* slot : {"", "/side"}) {
    ASSERT_TRUE(service_.rank_slots(request).ok());
    ASSERT_TRUE(service_.reward_slots(kPage, {{"top", 1.0}, {"side", 0.5}}).ok());
    service_->settle();
    service_.stop();
    EXPECT_FALSE(files_with(data_, kPage).empty());
    EXPECT_EQ(erase_events(data_, {std::string(kPage) + slot}, {}).events, 2U);
    EXPECT_THAT(files_with(data_, kPage), ::testing::IsEmpty());
    EXPECT_TRUE(replay_log(data_).same);
    service_.start();
  }
}

// The user is a feature of one slot alone.
TEST_F(Erase, AnEventIsErasedWholeWhicheverSlotMentionsTheUser) {
  for (const char* slot : {"top", "side", "last"}) {
    json request = visit_of(std::string(kPage) + "/" + slot, "bob");
    request["actions"].push_back({{"id", "c"}});
    request["slots"] = json::array({{{"id", "top"}, {"baselineAction", "a"}},
                                    {{"id", "side"}, {"baselineAction", "b"}},
                                    {{"id", "last"}, {"baselineAction", "c"}}});
    for (json& each : request["slots"]) {
      if (each["id"] == slot) each["features"] = json::array({{{"for", kUser}}});
    }
    ASSERT_TRUE(service_.rank_slots(request).ok());
  }
  ASSERT_TRUE(service_.rank(visit_of("Pg7Wq4Zx%2Ftop/none", "bob").dump()).ok());
  service_.stop();
  EXPECT_EQ(erase_events(data_, {}, {{"for", kUser}}).events, 9U);
  EXPECT_EQ(files_with(data_, kPage).empty(), false) << "an event that only looks like a slot";
  EXPECT_EQ(erase_events(data_, {"Pg7Wq4Zx%2Ftop/none"}, {}).events, 1U);
  EXPECT_THAT(files_with(data_, kPage), ::testing::IsEmpty());
  EXPECT_TRUE(replay_log(data_).same);
}

TEST_F(Erase, ANameThatIsThereTwiceIsFoundTwice) {
  ASSERT_TRUE(service_
                  .rank(R"({"eventId":"twice","contextFeatures":[{"user":"Xk3vQz9wJt",)"
                        R"("user":"bob"}],"actions":[{"id":"a"}]})")
                  .ok());
  service_.stop();
  EXPECT_EQ(erase_events(data_, {}, {{"user", kUser}}).events, 4U);
  EXPECT_THAT(files_with(data_, kUser), ::testing::IsEmpty());
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

// The same for a model that was fetched and loaded, or gone back to.
TEST_F(Erase, WhatALoadedModelHasLearnedIsSaid) {
  service_->settle();
  ASSERT_TRUE(service_.load_model(service_->model()).ok());
  visit("after", 2, "bob");
  service_->settle();
  service_.stop();
  EXPECT_EQ(erase_events(data_, {"night-rewarded"}, {}).still_learned, 1U);
  EXPECT_EQ(erase_events(data_, {"after-1"}, {}).still_learned, 0U);
  EXPECT_TRUE(replay_log(data_).same);
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

// The rest is erased while the service runs.
class LiveErase : public Erase {
 protected:
  Result<Erased> erase(const json& request) { return service_->erase(request.dump()); }
  static json of_user(const json& user) { return {{"users", json::array({{{"user", user}}})}}; }
};

TEST_F(LiveErase, NothingOfAUserIsLeftAndTheRestIsAsItWas) {
  const std::string before = service_->decision("b1-3").value();
  const LogCheck all = verify_log(data_);
  service_->settle();
  const std::string with_her = service_.model_checksum();
  ASSERT_FALSE(files_with(data_, kUser).empty());

  const auto erased = erase(of_user(kUser));
  ASSERT_TRUE(erased.ok()) << erased.failure().message;
  EXPECT_EQ(erased.value().events, 3U);
  EXPECT_EQ(erased.value().still_learned, 0U);
  EXPECT_THAT(files_with(data_, kUser), ::testing::IsEmpty());
  EXPECT_THAT(files_with(data_, "night-"), ::testing::IsEmpty());
  EXPECT_THAT(service_->status(), ::testing::Not(HasSubstr("night-")));
  EXPECT_THAT(exported(), ::testing::Not(HasSubstr("0.7251")));
  const LogCheck rest = verify_log(data_);
  EXPECT_EQ(rest.decisions, all.decisions);
  EXPECT_EQ(rest.waiting, all.waiting - 1);

  const std::string without_her = service_.model_checksum();
  EXPECT_NE(without_her, with_her);
  EXPECT_EQ(service_->decision("b1-3").value(), before);
  EXPECT_EQ(state("night-rewarded"), "none");
  EXPECT_FALSE(service_.reward("night-waiting", 1.0).ok());
  service_.restart_without_snapshot();
  EXPECT_EQ(service_.model_checksum(), without_her);
  EXPECT_TRUE(service_.reward("b-waiting", 1.0).ok());
  visit("later", kUser, 0.5);
  service_.stop();
  EXPECT_TRUE(replay_log(data_).same);
}

// What the service has learned so far came from a file in one case, from the log in the other.
TEST_F(LiveErase, TheModelIsTheSameAfterARestart) {
  service_.restart();
  ASSERT_TRUE(erase({{"events", {"night-rewarded"}}}).ok());
  visit("between", 3, "bob");
  ASSERT_TRUE(erase({{"events", {"b0-1", "b0-2", "between-1"}}}).ok());
  const std::string checksum = service_.model_checksum();
  service_.restart_without_snapshot();
  EXPECT_EQ(service_.model_checksum(), checksum);
}

TEST_F(LiveErase, EventsThatComeMeanwhileAreKept) {
  std::atomic<bool> ended = false;
  // Without a limit the log might grow faster than a busy machine copies it.
  constexpr int kMost = 1000;
  std::atomic<int> played = 0, allowed = kMost;
  std::thread others([&] {
    while (!ended) {
      const int event = played;
      if (event >= allowed) {
        std::this_thread::yield();
        continue;
      }
      rank("load-" + std::to_string(event), "carol");
      ASSERT_TRUE(service_.reward("load-" + std::to_string(event), 0.5).ok());
      // Rewards of events that were copied by then.
      ASSERT_TRUE(service_.reward("b0-" + std::to_string(event % 5), 0.25).ok());
      played = event + 1;
    }
  });
  const auto wait_for = [&](int more) {
    const int before = played;
    allowed = before + kMost;
    while (played < before + more) std::this_thread::yield();
  };
  wait_for(50);
  EXPECT_EQ(erase(of_user(kUser)).value().events, 3U);
  wait_for(50);
  EXPECT_EQ(erase({{"events", {"load-7", "b1-2"}}}).value().events, 2U);
  wait_for(50);
  ended = true;
  others.join();
  for (int event = 0; event < played; ++event) {
    EXPECT_EQ(state("load-" + std::to_string(event)), event == 7 ? "none" : "learned");
  }
  service_->settle();
  service_.stop();
  EXPECT_TRUE(replay_log(data_).same);
  verify_log(data_);
  EXPECT_THAT(files_with(data_, kUser), ::testing::IsEmpty());
}

TEST_F(LiveErase, AWrongRequestChangesNothing) {
  const std::string before = exported();
  const auto refused = [&](const json& request, Failure::Code code, const char* says) {
    const auto found = erase(request);
    ASSERT_FALSE(found.ok()) << request;
    EXPECT_EQ(found.failure().code, code) << request;
    EXPECT_THAT(found.failure().message, HasSubstr(says));
  };
  using Code = Failure::Code;
  refused({{"events", {"b0-1", "nobody"}}}, Code::kNotFound, "nobody");
  refused(json::array(), Code::kBadRequest, "an object");
  refused(json::object(), Code::kBadRequest, "at least one");
  refused({{"event", {"b0-1"}}}, Code::kBadRequest, "\"events\" or \"users\"");
  refused({{"events", "b0-1"}}, Code::kBadRequest, "a list");
  refused({{"events", {1}}}, Code::kBadRequest, "event ids");
  refused({{"users", {"alice"}}}, Code::kBadRequest, "features");
  refused({{"users", json::array({{{"user", json::array()}}})}}, Code::kBadRequest, "'user'");
  EXPECT_EQ(erase(of_user("nobody")).value().events, 0U);
  EXPECT_EQ(exported(), before);
}

TEST_F(LiveErase, AFullDiskIsSaidAndTheRequestCanBeRepeated) {
  service_.disk().full = true;
  const auto failed = erase(of_user(kUser));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.failure().code, Failure::Code::kUnavailable);
  service_.disk().full = false;
  while (!erase(of_user(kUser)).ok()) std::this_thread::yield();  // until the log can be written
  EXPECT_THAT(files_with(data_, kUser), ::testing::IsEmpty());
}

// Many events after a policy that began with a file: the model is made anew once, not for each.
TEST_F(LiveErase, ManyEventsAfterANewPolicy) {
  ASSERT_TRUE(service_.apply_trained({.name = "x", .agent = service_->agent()}).ok());
  for (int i = 0; i < 40; ++i) visit("day-" + std::to_string(i), kUser, 0.5);
  service_->settle();
  const auto erased = erase(of_user(kUser));
  ASSERT_TRUE(erased.ok());
  EXPECT_EQ(erased.value().events, 43U);
  EXPECT_EQ(erased.value().still_learned, 2U);
  const std::string checksum = service_.model_checksum();
  service_.stop();
  EXPECT_TRUE(replay_log(data_).same);
  service_.start();
  EXPECT_EQ(service_.model_checksum(), checksum);
}

}  // namespace
}  // namespace sau
