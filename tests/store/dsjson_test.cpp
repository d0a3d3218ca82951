#include "sau/store/dsjson.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "sau/core/file.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using testing::DataFolders;
using testing::error_of;

// Everything that a test wants to know about an event.
struct Seen {
  std::string id, request;
  std::size_t actions = 0, chosen = 0;
  double probability = 0.0, reward = 0.0;
  std::vector<double> distribution;
  std::uint64_t line = 0;
  bool skip_learn = false, inactive = false;
};

class Files {
 public:
  std::string write(const std::string& text, const std::string& name = "log.json") const {
    return folders_.file(name, text);
  }
  const DataFolders& folders() const { return folders_; }

 private:
  DataFolders folders_;
};

std::vector<Seen> events_of(const std::filesystem::path& file, DsjsonCounts* counts = nullptr,
                            DsjsonOptions options = {}) {
  DsjsonReader reader(file, options);
  std::vector<Seen> events;
  while (const DsjsonEvent* event = reader.next()) {
    events.push_back({event->event_id, event->request, event->actions.size(), event->chosen,
                      event->probability.value_or(0.0), event->reward, event->distribution,
                      event->line, event->skip_learn, event->inactive});
  }
  if (counts != nullptr) *counts = reader.counts();
  return events;
}

// A line with two actions, and fields that replace the usual ones.
std::string line_with(const std::string& fields, const std::string& c = R"("x":{"y":1})") {
  return fmt::format(
      R"({{{}{}"c":{{{},"_multi":[{{"_tag":"one","f":{{"k":"v"}}}},{{"_tag":"two"}}]}}}})", fields,
      fields.empty() ? "" : ",", c);
}
const std::string kGood =
    R"("_label_cost":-0.5,"_label_probability":0.75,"_labelIndex":1,"a":[2,1],"p":[0.75,0.25])";

struct Anchor {
  const char* file;
  std::size_t events;
  double mean, weights;  // mean of 1 / (actions * probability)
};

// The figures were computed by other code.
TEST(Dsjson, ReadsTheLogsOfOtherPrograms) {
  const Files files;
  SAU_NEED_SHARED_DATA(files.folders());
  for (const Anchor& anchor :
       {Anchor{"dsjson_cb.json", 23, .5217391304, 0}, Anchor{"igl.dsjson", 200, .305, 0},
        Anchor{"decisionservice.json", 3, .6666666667, 0}}) {
    const auto file = DataFolders::shared_data() / "dsjson" / anchor.file;
    double sum = 0.0;
    const auto events = events_of(file);
    ASSERT_EQ(events.size(), anchor.events);
    for (const Seen& event : events) {
      sum += event.reward;
      ASSERT_EQ(event.distribution.size(), event.actions);
      EXPECT_NEAR(event.distribution[event.chosen], event.probability, 1e-6);
    }
    EXPECT_NEAR(sum / static_cast<double>(events.size()), anchor.mean, 1e-10) << anchor.file;
  }
}

// What inverse propensity says about the uniform policy (the same source).
TEST(Dsjson, ProbabilitiesAreThoseOfTheLabel) {
  const Files files;
  SAU_NEED_SHARED_DATA(files.folders());
  const auto uniform = [&](const char* name) {
    double sum = 0.0, count = 0.0;
    for (const Seen& event : events_of(DataFolders::shared_data() / "dsjson" / name)) {
      sum += event.reward / (static_cast<double>(event.actions) * event.probability);
      ++count;
    }
    return sum / count;
  };
  EXPECT_NEAR(uniform("dsjson_cb.json"), .1534526811, 1e-10);
  EXPECT_NEAR(uniform("igl.dsjson"), .1663003103, 1e-10);
  EXPECT_NEAR(uniform("decisionservice.json"), .06802720811, 1e-11);
}

TEST(Dsjson, MultiSlotDecisionsAreCountedAndLeftOut) {
  const Files files;
  SAU_NEED_SHARED_DATA(files.folders());
  DsjsonCounts counts;
  EXPECT_TRUE(events_of(DataFolders::shared_data() / "dsjson/ccb_data.json", &counts).empty());
  EXPECT_EQ(counts.multi_slot, 59U);
  EXPECT_EQ(counts.left_out_text(), "59 multi-slot decisions, which are not read");
}

TEST(Dsjson, AnEventHasEverything) {
  const Files files;
  DsjsonReader reader(files.write(
      R"({"_label_cost":-0.5,"_label_probability":0.25,"_label_Action":2,"_labelIndex":1,)"
      R"("o":[{"v":0.5,"EventId":"e1"}],"Timestamp":"2021-02-04T16:31:29.2460000Z","Version":"1",)"
      R"("EventId":"e1","a":[2,1],"c":{"FromUrl":[{"hour":9,"_age":3}],"_multi":[)"
      R"({"_tag":"tea","i":{"constant":1,"id":"tea"},"j":[{"kind":"hot"}]},)"
      R"({"_tag":"ice","i":{"constant":1,"id":"ice"},"j":[]}]},"p":[0.25,0.75],"pdrop":0.5,)"
      R"("_skipLearn":true,"_ba":[2]})"
      "\n"));
  const DsjsonEvent* const event = reader.next();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->event_id, "e1");
  EXPECT_EQ(event->time, 1'612'456'289'246);
  EXPECT_EQ(event->context, R"([{"hour":9}])");
  ASSERT_EQ(event->actions.size(), 2U);
  EXPECT_EQ(event->actions[0].id, "tea");
  EXPECT_EQ(event->actions[0].features, R"([{"kind":"hot"}])");
  EXPECT_EQ(event->actions[1].features, "[]");
  EXPECT_EQ(
      event->request,
      R"({"contextFeatures":[{"hour":9}],"actions":[{"id":"tea","features":[{"kind":"hot"}]},)"
      R"({"id":"ice","features":[]}]})");
  EXPECT_EQ(event->chosen, 1U);
  EXPECT_EQ(event->baseline, 1U);
  EXPECT_EQ(event->probability, 0.25);
  EXPECT_EQ(event->distribution, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(event->reward, 0.5);
  EXPECT_EQ(event->drop, 0.5);
  EXPECT_TRUE(event->skip_learn);
  EXPECT_FALSE(event->inactive);
  EXPECT_EQ(event->line, 1U);
  EXPECT_EQ(reader.next(), nullptr);
}

// Other features than Personalizer's stay in their namespaces; what begins with _ is no feature.
TEST(Dsjson, FeaturesAreThoseThatVowpalWabbitTakes) {
  const Files files;
  DsjsonReader reader(files.write(
      R"({"_label_cost":0,"_labelIndex":0,"a":[1],"p":[1],"c":{"User":{"age":1.5,"_x":2},)"
      R"("_text":"big  red\tcar","tags":["a",true,null,18446744073709551615,-3],)"
      R"("_multi":[{"Action":{"n":1},"_title":"t","z":{}}]}})"));
  const DsjsonEvent* const event = reader.next();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->context, R"([{"User":{"age":1.5},"_text":["big","red","car"],)"
                            R"("tags":["a",true,null,18446744073709551615,-3]}])");
  EXPECT_EQ(event->actions[0].id, "1");
  EXPECT_EQ(event->actions[0].features, R"([{"Action":{"n":1},"z":{}}])");
}

TEST(Dsjson, NamesThatWereEscapedAreRestored) {
  const Files files;
  DsjsonReader reader(files.write(
      R"({"_label_cost":0,"_labelIndex":0,"a":[1],"p":[1],"_escaped":true,)"
      R"("c":{"shared":[{"%5Fmulti":1,"%25x":{"%C3%A9t":2},"%zz":3}],"_multi":[{"_tag":"a"}]}})"));
  EXPECT_EQ(reader.next()->context, "[{\"_multi\":1,\"%x\":{\"\xC3\xA9t\":2},\"%zz\":3}]");
  DsjsonReader other(files.write(R"({"_label_cost":0,"_labelIndex":0,"a":[1],"p":[1],)"
                                 R"("c":{"shared":[{"%5Fmulti":1}],"_multi":[{"_tag":"a"}]}})",
                                 "other"));
  EXPECT_EQ(other.next()->context, R"([{"%5Fmulti":1}])");
}

TEST(Dsjson, ActionsOfTheSameNameAreKeptApart) {
  const Files files;
  DsjsonReader reader(files.write(R"({"_label_cost":0,"_labelIndex":2,"p":[0.5,0.25,0.25],)"
                                  R"("c":{"_multi":[{"_tag":"a"},{"id":"b"},{"_tag":"a"}]}})"));
  const DsjsonEvent* const event = reader.next();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->actions[0].id, "a");
  EXPECT_EQ(event->actions[1].id, "b");
  EXPECT_EQ(event->actions[2].id, "a#3");
  EXPECT_EQ(event->probability, 0.25);  // without `a`, p is in the order of the actions
}

TEST(Dsjson, LinesThatAreNotEventsAreCounted) {
  const Files files;
  DsjsonCounts counts;
  const std::string text = "# a comment\n\n" + line_with(kGood) + "\r\n" +
                           R"({"RewardValue":1,"EventId":"e"})" + "\n" + R"({"eventId":"ours"})" +
                           "\n" + line_with(R"("a":[1,2],"p":[0.5,0.5])") + "\n" +
                           R"({"_label_cost":-1,"c":{"x":1}})" + "\n  \n" + line_with(kGood) +
                           "\n" + line_with(kGood).substr(0, 50);
  const auto events = events_of(files.write(text), &counts);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].line, 3U);
  EXPECT_EQ(events[1].line, 9U);
  EXPECT_EQ(counts.lines, 10U);
  EXPECT_EQ(counts.empty, 2U);
  EXPECT_EQ(counts.other, 3U);
  EXPECT_EQ(counts.outcomes, 1U);
  EXPECT_EQ(counts.unlabelled, 1U);
  EXPECT_EQ(counts.torn, 1U);
  EXPECT_EQ(counts.left_out_text(),
            "1 decision without a reward, 1 reward apart from its decision, 3 lines without a "
            "decision, 1 torn line at the end");
}

TEST(Dsjson, AWholeLastLineNeedsNoEnd) {
  const Files files;
  EXPECT_EQ(events_of(files.write("\xEF\xBB\xBF" + line_with(kGood))).size(), 1U);
  EXPECT_TRUE(events_of(files.write("")).empty());
}

struct Faulty {
  std::string line, says;
};

TEST(Dsjson, AFaultNamesFileLineAndField) {
  const Files files;
  const auto label = [](const std::string& more) {
    return R"("_label_cost":-1,"_labelIndex":0,)" + more;
  };
  for (const auto& [line, says] : std::vector<Faulty>{
           {"{\"a\":[1,", "not JSON"},
           {"{\"c\":\xFF}", "not JSON"},
           {line_with(label(R"("a":[1,2],"p":[0,1])")), "p: 0 for the action that was chosen"},
           {line_with(label(R"("a":[1,2],"p":[1.5,0])")), "p: 1.5 is not a probability"},
           {line_with(label(R"("a":[1,2],"p":[-0.1,1.1])")), "p: -0.1 is not"},
           {line_with(label(R"("a":[1,2],"p":[0.5,0.2])")), "p: adds up to 0.7"},
           {line_with(label(R"("a":[1,2],"p":[0.5])")), "p: 1 numbers for 2 actions"},
           {line_with(label(R"("a":[1,2],"p":["x",1])")), "p: expected an array of numbers"},
           {line_with(label(R"("a":[1,2])")), "p: missing, and so is _label_probability"},
           {line_with(label(R"("_label_probability":0)")), "_label_probability: 0;"},
           {line_with(label(R"("_label_probability":1.01)")), "_label_probability: 1.01;"},
           {line_with(label(R"("_label_probability":0.5,"a":[1,2],"p":[0.9,0.1])")),
            "_label_probability: 0.5, but p gives 0.9"},
           {line_with(label(R"("_label_probability":1e-6,"a":[1,2],"p":[0.0009,0.9991])")),
            "_label_probability: 1e-06, but p gives 0.0009"},
           {line_with(label(R"("a":[1,3],"p":[0.5,0.5])")), "a: 3; expected numbers from 1 to 2"},
           {line_with(label(R"("a":[1,1],"p":[0.5,0.5])")), "a: 1 stands there twice"},
           {line_with(label(R"("a":[1.5,2],"p":[0.5,0.5])")), "a: 1.5; expected the number"},
           {line_with(R"("_label_cost":-1,"_labelIndex":2,"p":[0.5,0.5])"),
            "_labelIndex: 2; there are 2 actions"},
           {line_with(R"("_label_cost":-1,"_label_Action":3,"p":[0.5,0.5])"),
            "_label_Action: 3; there are 2 actions"},
           {line_with(R"("_label_cost":-1,"_label_Action":0,"p":[0.5,0.5])"), "_label_Action: 0"},
           {line_with(label(R"("_label_Action":2,"p":[0.5,0.5])")), "_labelIndex: 0, which"},
           {line_with(R"("_label_cost":-1,"p":[0.5,0.5])"), "_labelIndex: missing"},
           {line_with(R"("_label_cost":"NaN","_labelIndex":0,"p":[0.5,0.5])"), "_label_cost: "},
           {line_with(label(R"("p":[0.5,0.5],"pdrop":1)")), "pdrop: 1;"},
           {line_with(label(R"("p":[0.5,0.5],"_ba":[3])")), "_ba: 3;"},
           {line_with(label(R"("p":[0.5,0.5],"_skipLearn":1)")), "_skipLearn: expected true"},
           {R"({"_label_cost":1,"c":7})", "c: expected an object"},
           {R"({"_label_cost":1,"c":{"_multi":[]}})", "c._multi: there is no action"},
           {R"({"_label_cost":1,"c":{"_multi":[1]}})", "c._multi: expected an array of objects"}}) {
    const std::string file = files.write(line_with(kGood) + "\n" + line + "\n");
    const std::string error = error_of([&] { events_of(file); });
    EXPECT_NE(error.find(file + ", line 2: "), std::string::npos) << line << "\n" << error;
    EXPECT_NE(error.find(says), std::string::npos) << line << "\n" << error;
    DsjsonCounts counts;
    EXPECT_EQ(events_of(file, &counts, {.skip_wrong = true}).size(), 1U) << line;
    EXPECT_EQ(counts.wrong, 1U);
    EXPECT_EQ(counts.first_wrong, error);
  }
}

TEST(Dsjson, WithoutProbabilitiesOnlyIfAskedFor) {
  const Files files;
  const std::string file = files.write(line_with(R"("_label_cost":-1,"_labelIndex":0)"));
  EXPECT_THROW(events_of(file), Error);
  const auto events = events_of(file, nullptr, {.needs_probability = false});
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events[0].distribution.empty());
}

// Rewards on lines of their own belong to decisions that have none.
TEST(Dsjson, OutcomesApartAreJoinedByEventId) {
  const Files files;
  const auto event = [](const std::string& id, const std::string& more) {
    return line_with(R"("EventId":")" + id + R"(",)" + more + kGood.substr(kGood.find(',') + 1)) +
           "\n";
  };
  const std::string file = files.write(
      event("late", R"("_label_cost":0,"o":[],)") +
      event("own", R"("_label_cost":0,"o":[{"v":0}],)") + event("none", "") + event("alone", "") +
      event("off", R"("_label_cost":-1,"DeferredAction":true,)") +
      event("on", R"("_label_cost":-1,"DeferredAction":true,)") +
      event("took", R"("_label_cost":-1,"DeferredAction":true,"o":[{"ActionTaken":true}],)") +
      R"({"RewardValue":0.7,"EventId":"late"})"
      "\n"
      R"({"RewardValue":0.9,"EventId":"late"})"
      "\n"
      R"({"RewardValue":0.7,"EventId":"own"})"
      "\n"
      R"({"RewardValue":0.3,"EventId":"none"})"
      "\n"
      R"({"RewardValue":null,"EventId":"x"})"
      "\n"
      R"({"RewardValue":1,"EventId":"on","Observations":[{"v":null,"DeferredAction":false}]})");
  DsjsonOutcomes outcomes;
  outcomes.add(file);
  DsjsonCounts counts;
  const auto events = events_of(file, &counts, {.outcomes = &outcomes});
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events[0].reward, 0.7);
  EXPECT_EQ(events[1].reward, 0.0);
  EXPECT_EQ(events[2].reward, 0.3);
  EXPECT_EQ(events[3].id, "off");
  EXPECT_TRUE(events[3].inactive);
  EXPECT_FALSE(events[4].inactive);
  EXPECT_FALSE(events[5].inactive);
  EXPECT_EQ(counts.unlabelled, 1U);
  EXPECT_EQ(events_of(file)[0].reward, 0.0);  // without them
}

std::string packed(const std::string& text, const std::filesystem::path& file) {
  const gzFile to = ::gzopen(file.c_str(), "wb");
  EXPECT_EQ(::gzwrite(to, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  ::gzclose(to);
  return file.string();
}

TEST(Dsjson, PackedFilesAreTheSame) {
  const Files files;
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += line_with(kGood, fmt::format(R"("x":{{"y":"{}"}})", std::string(i % 700, 'y'))) + "\n";
  }
  const std::string plain = files.write(text);
  const std::string gz = packed(text, files.folders().path() / "log.json.gz");
  DsjsonReader one(plain), two(gz);
  for (int i = 0; i < 3000; ++i) {
    const DsjsonEvent* const a = one.next();
    const DsjsonEvent* const b = two.next();
    ASSERT_TRUE(a != nullptr && b != nullptr);
    ASSERT_EQ(a->request, b->request);
  }
  EXPECT_EQ(one.next(), nullptr);
  EXPECT_EQ(two.next(), nullptr);
  EXPECT_EQ(one.checksum(), two.checksum());
  EXPECT_EQ(one.bytes(), text.size());
  // Cut off: whatever is there is not all.
  const std::string bytes = read_file(gz);
  const std::string cut = files.write(bytes.substr(0, bytes.size() / 2), "cut.gz");
  EXPECT_NE(error_of([&] { events_of(cut); }).find("cut.gz: cannot be read to its end"),
            std::string::npos);
}

TEST(Dsjson, FilesThatCannotBeRead) {
  const Files files;
  EXPECT_NE(error_of([&] { events_of(files.folders().path() / "nowhere"); }).find("nowhere"),
            std::string::npos);
  EXPECT_NE(error_of([&] { events_of(files.folders().path()); }).find("is a folder"),
            std::string::npos);
}

}  // namespace
}  // namespace sau
