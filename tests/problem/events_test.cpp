#include "sau/problem/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "model/feature_hash.hpp"
#include "problem/event_log.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using detail::EventLog;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

const detail::FeatureHash kOfContext(1), kOfAction(2);

TEST(EventLog, ALineIsARequestWithARewardForEveryAction) {
  const EventLog log(
      R"({"contextFeatures":[{"device":"mobile","age":30}],"actions":[)"
      R"({"id":"a","features":[{"topic":"x","fresh":true}],"reward":1},)"
      R"({"id":"b","features":[{"price":0.5,"sizes":[1,2],"of":{"topic":"x"},"no":null}],"reward":-2}]})",
      "x.jsonl");
  ASSERT_EQ(log.events(), 1U);
  EXPECT_THAT(log.context(0),
              ElementsAre(HashedFeature{kOfContext.indicator("device", "mobile"), 1},
                          HashedFeature{kOfContext.number("age"), 30}));
  const auto offers = log.offers(0);
  ASSERT_EQ(offers.size(), 2U);
  EXPECT_EQ(offers[0].id, "a");
  EXPECT_EQ(offers[0].reward, 1.0);
  EXPECT_EQ(offers[1].reward, -2.0);
  EXPECT_THAT(log.features(offers[0]),
              ElementsAre(HashedFeature{kOfAction.indicator("topic", "x"), 1},
                          HashedFeature{kOfAction.indicator("fresh", "true"), 1}));
  EXPECT_THAT(log.features(offers[1]),
              ElementsAre(HashedFeature{kOfAction.number("price"), 0.5F},
                          HashedFeature{kOfAction.element("sizes", 0), 1},
                          HashedFeature{kOfAction.element("sizes", 1), 2},
                          HashedFeature{kOfAction.with("of").indicator("topic", "x"), 1}));
  EXPECT_EQ(log.best(0), 1.0);
  EXPECT_EQ(log.rewards().min, -2.0);
  EXPECT_EQ(log.rewards().max, 1.0);
}

// A line of `sau log export`, with a reward beside the other numbers of every action.
TEST(EventLog, ALineOfAnExportHasTheRequestInside) {
  const EventLog log(
      R"({"eventId":"e1","time":"2026-11-16T19:41:30.756Z","rewardActionId":"b","reward":1,)"
      R"("rewards":[{"value":1,"time":"2026-11-16T19:41:31.000Z","late":false}],"actions":[)"
      R"({"id":"b","value":0.1,"probability":0.5,"reward":1},{"id":"a","value":0.2,"reward":0}],)"
      R"("request":{"contextFeatures":[{"device":"tv"}],"actions":[{"id":"a","features":[{"n":1}]},)"
      R"({"id":"b"},{"id":"c"}],"excludedActions":["c","nobody"]}})"
      "\n\n",
      "x.jsonl");
  ASSERT_EQ(log.events(), 1U);
  const auto offers = log.offers(0);
  ASSERT_EQ(offers.size(), 3U);
  EXPECT_EQ(offers[0].reward, 0.0);
  EXPECT_EQ(offers[1].reward, 1.0);
  EXPECT_FALSE(offers[1].excluded);
  EXPECT_TRUE(offers[2].excluded);
  EXPECT_EQ(log.best(0), 1.0);
}

std::string refusal_of(const std::string& line) {
  const std::string good = R"({"actions":[{"id":"a","reward":1}]})";
  return error_of([&] { EventLog(good + "\n" + line + "\n", "x.jsonl"); });
}

TEST(EventLog, ErrorsNameLineAndField) {
  EXPECT_EQ(refusal_of("nonsense"), "x.jsonl, line 2: expected a JSON object");
  EXPECT_EQ(refusal_of(R"({"actions":[]})"),
            "x.jsonl, line 2: actions: expected an array of actions");
  EXPECT_EQ(refusal_of(R"({"actions":[{"reward":1}]})"),
            "x.jsonl, line 2: actions[0].id: expected a non-empty text");
  EXPECT_EQ(
      refusal_of(R"({"actions":[{"id":"a","reward":1},{"id":"b"}]})"),
      "x.jsonl, line 2: actions[1].reward: is missing; expected the reward of every action on "
      "offer, a number within +-1e100");
  EXPECT_THAT(refusal_of(R"({"actions":[{"id":"a","reward":"much"}]})"),
              HasSubstr("actions[0].reward: is \"much\"; expected the reward"));
  EXPECT_EQ(refusal_of(R"({"actions":[{"id":"a","reward":1},{"id":"a","reward":1}]})"),
            "x.jsonl, line 2: actions[1].id: 'a' is listed twice");
  EXPECT_EQ(
      refusal_of(
          R"({"request":{"actions":[{"id":"a"},{"id":"b"}]},"actions":[{"id":"a","reward":1}]})"),
      "x.jsonl, line 2: actions: the reward of 'b' is missing");
  EXPECT_EQ(refusal_of(R"({"request":{"actions":[{"id":"a"}]},"actions":[{"id":"z","reward":1}]})"),
            "x.jsonl, line 2: actions[0].id: is not the id of an action on offer");
  EXPECT_EQ(refusal_of(R"({"request":{"actions":[{"id":"a"}]}})"),
            "x.jsonl, line 2: actions: expected an array of actions with their rewards");
  EXPECT_EQ(refusal_of(R"({"actions":[{"id":"a","reward":1}],"excludedActions":["a"]})"),
            "x.jsonl, line 2: excludedActions: all actions are excluded");
  EXPECT_EQ(refusal_of(R"({"actions":[{"id":"a","reward":1}],"contextFeatures":{}})"),
            "x.jsonl, line 2: contextFeatures: expected an array of objects");
  EXPECT_THAT(refusal_of(R"({"actions":[{"id":"a","features":[{"x":1e39}],"reward":1}]})"),
              HasSubstr("actions[0].features: the feature 'x' is 1e+39"));
  EXPECT_EQ(error_of([] { EventLog("\n\n", "x.jsonl"); }), "x.jsonl: found no events");
}

class EventsFile : public ::testing::Test {
 public:
  // Event n offers one action, n, which pays n.
  std::string write(int events) {
    std::string text;
    for (int n = 0; n < events; ++n) {
      const std::string number = std::to_string(n);
      text += R"({"actions":[{"id":")" + number + R"(","reward":)" + number + "}]}\n";
    }
    return folders_.file("log.jsonl", text);
  }
  static std::vector<double> played(Events& problem, int steps) {
    Rng rng(Stream{});
    std::vector<double> rewards;
    for (int n = 0; n < steps; ++n) {
      problem.next(rng);
      rewards.push_back(problem.pull(0, rng));
    }
    EXPECT_EQ(rng.position(), 0U);
    return rewards;
  }

 private:
  testing::DataFolders folders_;
};

TEST_F(EventsFile, AreOfferedInTheOrderOfTheFileOnRequest) {
  Events problem({}, {.file = write(3), .order = EventOrder::kFile});
  EXPECT_EQ(problem.default_steps(), 3U);
  EXPECT_THAT(played(problem, 7), ElementsAre(0, 1, 2, 0, 1, 2, 0));
}

TEST_F(EventsFile, AreOfferedInARandomOrderPerTrial) {
  const std::string file = write(50);
  Events one({.trial = 0}, {.file = file}), same({.trial = 0}, {.file = file}),
      other({.trial = 1}, {.file = file});
  const auto first = played(one, 100);
  EXPECT_EQ(first, played(same, 100));
  EXPECT_NE(first, played(other, 100));
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 50, first.begin() + 50));
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(sorted[i], static_cast<double>(i / 2));
}

TEST_F(EventsFile, AChangedFileIsReadAgain) {
  const std::string before = Events({}, {.file = write(3)}).data();
  EXPECT_EQ(before.size(), 16U);
  EXPECT_EQ(Events({}, {.file = write(3)}).data(), before);
  EXPECT_NE(Events({}, {.file = write(4)}).data(), before);
}

TEST_F(EventsFile, ARequestIsReadFromTheFileUnlessItHasChanged) {
  Events problem({}, {.file = write(3)});
  Rng rng(Stream{});
  problem.next(rng);
  const std::string request = problem.request();
  EXPECT_THAT(request, ::testing::StartsWith(R"({"contextFeatures":)"));
  EXPECT_THAT(request, ::testing::Not(HasSubstr("reward")));
  Events other({}, {.file = write(3)});
  other.next(rng);
  write(4);
  EXPECT_THAT(error_of([&] { other.request(); }), HasSubstr("has changed since"));
}

TEST(EventLog, TheRequestOfAnExportIsAsItWasWritten) {
  const std::string request =
      R"({"contextFeatures":[{"hour":9}],"actions":[{"id":"a","features":[{"n":1}]},{"id":"b"}],)"
      R"("excludedActions":["b"]})";
  const std::string text =
      "\n"
      R"({"reward":1,"actions":[{"id":"a","reward":1},{"id":"b"}],"request":)" +
      request + "}\n";
  EXPECT_EQ(EventLog(text, "x.jsonl").request(0, text), request);
}

TEST_F(EventsFile, AFileIsNeeded) {
  EXPECT_THAT(error_of<UsageError>([] { Events({}, {}); }), HasSubstr("events: file is missing"));
  EXPECT_THAT(error_of([] { Events({}, {.file = "/nowhere/x.jsonl"}); }),
              HasSubstr("/nowhere/x.jsonl"));
}

}  // namespace
}  // namespace sau
