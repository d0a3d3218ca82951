#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "serve/serve_support.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;
using testing::DataFolders;
using testing::error_of;
using testing::TestService;

class Import : public ::testing::Test {
 protected:
  fs::path file(const std::string& name, const std::string& text) const {
    return folders_.file(name, text);
  }
  fs::path data() const { return folders_.path() / "data"; }
  ImportCount import(const std::vector<fs::path>& files, ImportOptions options = {}) {
    options.note = [this](const std::string& note) { notes_ += note + "\n"; };
    return import_log(data(), files, options);
  }
  // Both checks of a log hold.
  void expect_good(std::uint64_t learned, std::uint64_t waiting = 0) const {
    EXPECT_EQ(verify_log(data()).waiting, waiting);
    const ReplayCheck check = replay_log(data());
    EXPECT_TRUE(check.same);
    EXPECT_EQ(check.learned, learned);
  }
  std::vector<nlohmann::json> exported(LogFormat format = LogFormat::kJsonLines) const {
    std::vector<nlohmann::json> lines;
    export_log(data(), format, [&](const std::string& text) {
      std::istringstream in(text);
      for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    });
    return lines;
  }
  std::vector<Entry> imports() const {
    const auto store = open_event_store(data() / "log", {.read_only = true});
    std::vector<Entry> found;
    good(store->entries(1, [&](Sequence, const Entry& entry) {
      if (entry.kind == EntryKind::kImported) found.push_back(entry);
      return true;
    }));
    return found;
  }
  // Nothing is left of an import that failed.
  void expect_nothing_left() const {
    for (const auto& entry : fs::directory_iterator(folders_.path())) {
      EXPECT_FALSE(entry.is_directory()) << entry.path();
    }
  }

  DataFolders folders_;
  std::string notes_;
};

std::string event(const std::string& id, int chosen, double reward, const std::string& more = "") {
  return fmt::format(
      R"({{"_label_cost":{},"_label_probability":0.5,"_labelIndex":{},"EventId":"{}",)"
      R"("Timestamp":"2021-02-04T16:31:29.2460000Z","a":[{},{}],"p":[0.5,0.5]{},)"
      R"("c":{{"FromUrl":[{{"hour":"9"}}],"_multi":[{{"_tag":"a","i":{{"constant":1,"id":"a"}},)"
      R"("j":[]}},{{"_tag":"b","i":{{"constant":1,"id":"b"}},"j":[{{"kind":"news"}}]}}]}}}})"
      "\n",
      -reward, chosen, id, chosen + 1, 2 - chosen, more);
}

TEST_F(Import, TheLogsOfOtherPrograms) {
  SAU_NEED_SHARED_DATA(folders_);
  const auto shared = DataFolders::shared_data() / "dsjson";
  const ImportCount count = import({shared / "dsjson_cb.json", shared / "igl.dsjson",
                                    shared / "decisionservice.json", shared / "ccb_data.json"});
  EXPECT_EQ(count.events, 226U);
  EXPECT_EQ(count.learned, 226U);
  EXPECT_NEAR(count.mean_reward, (23 * .5217391304 + 200 * .305 + 2) / 226, 1e-9);
  EXPECT_NE(notes_.find("59 multi-slot decisions, which are not read"), std::string::npos);
  expect_good(226);
  const auto lines = exported();
  EXPECT_EQ(lines[0]["eventId"], "13118d9b4c114f8485d9dec417e3aefe");
  EXPECT_EQ(lines[0]["time"], "2021-02-04T16:31:29.246Z");
  EXPECT_EQ(lines[0]["rewardActionId"], "Latte");
  EXPECT_EQ(lines[23]["eventId"], "igl.dsjson:1");
  // Where they came from.
  const auto sources = imports();
  ASSERT_EQ(sources.size(), 4U);
  const nlohmann::json second = nlohmann::json::parse(sources[1].text);
  EXPECT_EQ(second["file"], "igl.dsjson");
  EXPECT_EQ(second["events"], 200);
  EXPECT_EQ(second["first"], 2 * 23 + 2);
  EXPECT_EQ(second["bytes"], fs::file_size(shared / "igl.dsjson"));
}

TEST_F(Import, TheServiceContinuesFromThere) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += event("e" + std::to_string(i), i % 2, i % 2);
  const ImportCount count = import({file("log.json", text)});
  EXPECT_EQ(count.events, 60U);
  EXPECT_EQ(count.mean_reward, 0.5);
  ServiceOptions options;
  options.folder = data();
  Service service(options);
  service.settle();
  EXPECT_EQ(nlohmann::json::parse(service.model_properties())["checksum"], count.checksum);
  EXPECT_EQ(nlohmann::json::parse(service.model_properties())["eventsLearned"], 60);
  EXPECT_EQ(service.configuration(), Configuration{});
  // The request that the events stand for, as a client of Personalizer sends it.
  const std::string request =
      R"({"contextFeatures":[{"hour":"9"}],"actions":[{"id":"a","features":[]},)"
      R"({"id":"b","features":[{"kind":"news"}]}],"eventId":")";
  std::promise<Result<RankAnswer>> next, again;
  service.rank(request + "new\"}", [&](Result<RankAnswer> answer) { next.set_value(answer); });
  EXPECT_GT(next.get_future().get().value().ranking[1].probability, 0.9);  // it is warm
  // An imported event is known: its request gets the logged answer.
  service.rank(request + "e0\"}", [&](Result<RankAnswer> answer) { again.set_value(answer); });
  const RankAnswer known = again.get_future().get().value();
  EXPECT_EQ(known.chosen, 0U);
  EXPECT_EQ(known.ranking[0].probability, 0.5);
  const nlohmann::json decision = nlohmann::json::parse(service.decision("e1").value());
  EXPECT_EQ(decision["state"], "learned");
  EXPECT_EQ(decision["reward"], 1.0);
  service.stop();
  expect_good(60, 1);
}

// What one service learned, another learns from its export.
TEST_F(Import, AnExportMakesTheSameModel) {
  TestService service;
  for (int i = 0; i < 50; ++i) {
    const std::string id =
        "event" + std::string(static_cast<std::size_t>(i % 4), '-') + std::to_string(i);
    const auto answer = service.rank(testing::simple_request(id)).value();
    ASSERT_TRUE(service.reward(id, answer.chosen == 2 ? 0.7 : -0.1).ok());
    service->settle();
  }
  const std::string learned = service.model_checksum();
  service.stop();
  std::string text;
  export_log(service.folder() / "data", LogFormat::kDsjson,
             [&](const std::string& lines) { text += lines; });
  const ImportCount count =
      import({file("export.dsjson", text)}, {.agent = "hashed_linear(bits=10)+sau_sampling"});
  EXPECT_EQ(count.events, 50U);
  EXPECT_EQ(count.checksum, learned);
  expect_good(50);
  std::string again;
  export_log(data(), LogFormat::kDsjson, [&](const std::string& lines) { again += lines; });
  // Only the numbers of the records differ.
  std::istringstream one(text), two(again);
  for (std::string a, b; std::getline(one, a) && std::getline(two, b);) {
    nlohmann::json first = nlohmann::json::parse(a), second = nlohmann::json::parse(b);
    first.erase("VWState");
    second.erase("VWState");
    EXPECT_EQ(first, second);
  }
}

TEST_F(Import, EventsThatAreNotLearnedFrom) {
  const ImportCount count = import(
      {file("log.json", event("seen", 0, 1) + event("skipped", 1, 1, R"(,"_skipLearn":true)") +
                            event("off", 1, 1, R"(,"DeferredAction":true)") +
                            event("kept", 1, 0, R"(,"pdrop":0.5)"))});
  EXPECT_EQ(count.events, 4U);
  EXPECT_EQ(count.learned, 2U);
  EXPECT_NE(notes_.find("1 events have a pdrop above 0"), std::string::npos) << notes_;
  expect_good(2);
  std::vector<std::string> states;
  for (const nlohmann::json& line : exported()) states.push_back(line["state"]);
  EXPECT_EQ(states, (std::vector<std::string>{"learned", "logged", "inactive", "learned"}));
}

TEST_F(Import, RewardsOutsideOfTheUsualBounds) {
  import({file("log.json", event("a", 0, 12) + event("b", 1, -3))});
  EXPECT_NE(notes_.find("rewards from -3 to 12"), std::string::npos) << notes_;
  ServiceOptions options;
  options.folder = data();
  {
    const Service service(options);
    EXPECT_EQ(service.configuration().reward_minimum, -3.0);
    EXPECT_EQ(service.configuration().reward_maximum, 12.0);
  }
  fs::remove_all(data());
  const std::string error = error_of(
      [&] { import({folders_.path() / "log.json"}, {.agent = "beta_bernoulli+thompson"}); });
  EXPECT_NE(error.find("log.json, line 1: _label_cost: the reward 12 is not from 0 to 1"),
            std::string::npos)
      << error;
  fs::remove_all(data());
}

TEST_F(Import, TheSameEventTwiceCountsOnce) {
  const auto one = file("one.json", event("a", 0, 1) + event("b", 0, 1));
  const auto two = file("two.json", event("b", 0, 1) + event("c", 0, 1));
  EXPECT_EQ(import({one, two}).events, 3U);
  EXPECT_NE(notes_.find("1 events have an id that was used before"), std::string::npos);
  expect_good(3);
}

TEST_F(Import, AFaultLeavesNothingBehind) {
  const std::string bad_p =
      event("y", 0, 1).replace(event("y", 0, 1).find("0.5,\"_labelIndex"), 3, "7.5");
  const auto log = file("log.json", event("a", 0, 1) + bad_p + event("b", 0, 1));
  EXPECT_NE(error_of([&] { import({log}); }).find("log.json, line 2: _label_probability: 7.5"),
            std::string::npos);
  expect_nothing_left();
  EXPECT_EQ(import({log}, {.skip_faulty = true}).events, 2U);
  EXPECT_NE(notes_.find("left out: 1 faulty line"), std::string::npos) << notes_;
  EXPECT_NE(notes_.find("line 2: _label_probability: 7.5"), std::string::npos) << notes_;
  expect_good(2);
}

TEST_F(Import, OnlyANewFolderIsTaken) {
  const auto log = file("log.json", event("a", 0, 1));
  import({log});
  EXPECT_NE(error_of<UsageError>([&] { import({log}); }).find("already a folder of sau serve"),
            std::string::npos);
  fs::remove_all(data());
  fs::create_directory(data());
  import({log});  // an empty folder is a new one
  fs::remove_all(data());
  fs::create_directory(data());
  write_file(data() / "mine.txt", "text");
  EXPECT_NE(error_of<UsageError>([&] { import({log}); }).find("not empty"), std::string::npos);
  EXPECT_TRUE(fs::exists(data() / "mine.txt"));
  fs::remove_all(data());
  EXPECT_NE(error_of([&] { import({file("none.json", "{}\n")}); }).find("there is no event"),
            std::string::npos);
  EXPECT_NE(error_of([&] { import({folders_.path() / "nowhere.json"}); }).find("nowhere.json"),
            std::string::npos);
  EXPECT_THROW(import({}), UsageError);
  expect_nothing_left();
}

}  // namespace
}  // namespace sau
