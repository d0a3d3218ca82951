#include "sau/logs/open_choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sau/core/file.hpp"
#include "sau/evaluate/evaluate.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

EvaluationResult evaluated(const std::filesystem::path& log, const ChoiceOptions& options = {}) {
  const auto source = open_choices(log, options);
  std::vector<PolicyPlan> plans;
  for (const char* name : {"first", "uniform"}) {
    plans.push_back({make_target(name, 1), Learning::kFollowing});
  }
  EvaluateOptions how;
  how.score.estimators = {"ips", "snips"};
  return evaluate(*source, std::move(plans), options.by, how);
}

struct Anchor {
  const char* file;
  std::uint64_t events;
  double logged, first_ips, first_snips, first_size, uniform_ips, uniform_snips, uniform_size;
};

// Figures computed by separate code. For igl.dsjson it took a[0] for the action that was chosen,
// which it is not there: `a` counts from 0 and is in no order, and `_labelIndex` says what was
// chosen. So the figures of `first` are left out for that file.
TEST(OpenChoices, DsjsonAnchors) {
  const testing::DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const double none = std::nan("");
  const Anchor anchors[] = {
      {"dsjson_cb.json", 23, .5217391304, .3069053622, .6666666667, 9.00, .1534526811, .1690140829,
       5.68},
      {"igl.dsjson", 200, .305, none, none, none, .1663003103, .1580782812, 75.07},
      {"decisionservice.json", 3, .6666666667, 0, none, 0, .06802720811, .6666666667, 3.00},
  };
  for (const Anchor& anchor : anchors) {
    SCOPED_TRACE(anchor.file);
    const EvaluationResult found =
        evaluated(testing::DataFolders::shared_data() / "dsjson" / anchor.file);
    EXPECT_EQ(found.decisions, anchor.events);
    EXPECT_NEAR(found.logged, anchor.logged, 5e-11);
    const PolicyResult &first = found.policies[0], &uniform = found.policies[1];
    EXPECT_NEAR(uniform.estimates[0].value, anchor.uniform_ips, 5e-11);
    EXPECT_NEAR(uniform.estimates[1].value, anchor.uniform_snips, 5e-11);
    EXPECT_NEAR(uniform.coverage.effective_size(), anchor.uniform_size, 5e-3);
    if (std::isnan(anchor.first_size)) continue;
    EXPECT_NEAR(first.estimates[0].value, anchor.first_ips, 5e-11);
    EXPECT_NEAR(first.coverage.effective_size(), anchor.first_size, 5e-3);
    if (std::isnan(anchor.first_snips)) {
      EXPECT_TRUE(std::isnan(first.estimates[1].value));
    } else {
      EXPECT_NEAR(first.estimates[1].value, anchor.first_snips, 5e-11);
    }
  }
}

std::string json_line(const std::string& chosen, double probability, const std::string& reward,
                      const std::string& device = "phone") {
  return R"({"eventId":"e","rewardActionId":")" + chosen + R"(","reward":)" + reward +
         R"(,"actions":[{"id":"a","probability":)" + std::to_string(probability) +
         R"(},{"id":"b","probability":)" + std::to_string(1.0 - probability) +
         R"(}],"request":{"contextFeatures":[{"user":{"device":")" + device +
         R"("}}],"actions":[{"id":"a","features":[{"x":1}]},{"id":"b"}]}})";
}

TEST(OpenChoices, ReadsJsonLines) {
  const testing::DataFolders folders;
  const auto file = folders.file("log.jsonl", json_line("a", 0.8, "1") + "\n\n" +
                                                  json_line("b", 0.5, "0", "desk") + "\n" +
                                                  json_line("b", 0.5, "null") + "\n");
  const EvaluationResult found = evaluated(file, {.by = {"user.device"}});
  EXPECT_EQ(found.decisions, 2U);
  EXPECT_EQ(found.skipped.at("no reward"), 1U);
  EXPECT_DOUBLE_EQ(found.policies[1].estimates[0].value, 0.5 * (0.5 / 0.8));
  EXPECT_DOUBLE_EQ(found.policies[0].estimates[0].value, 0.5 * (1.0 / 0.8));
  ASSERT_EQ(found.policies[0].segments.size(), 2U);
  EXPECT_EQ(found.policies[0].segments[0].segment, "phone");
  EXPECT_EQ(found.policies[0].segments[1].segment, "desk");
  EXPECT_TRUE(found.warnings.empty());
  EXPECT_THAT(evaluated(file, {.by = {"user.age"}}).warnings,
              Contains("no decision has a context feature 'user.age'"));
}

std::string dsjson_line(const std::string& chosen, const std::string& cost,
                        const std::string& more) {
  return R"({"_label_cost":)" + cost + R"(,"_label_probability":0.5,"_label_Action":)" + chosen +
         R"(,"a":[)" + chosen + (chosen == "1" ? ",2" : ",1") +
         R"(],"p":[0.5,0.5],"c":{"_multi":[{"x":1},{"x":2}]})" + more + "}\n";
}

// As Vowpal Wabbit does it: an event counts 1 / (1 - pdrop) times.
TEST(OpenChoices, DroppedEventsAreCounted) {
  const testing::DataFolders folders;
  const auto log = [&](const std::string& one, const std::string& other) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      text +=
          dsjson_line("1", "-1", one) + dsjson_line("2", "0", other) + dsjson_line("1", "0", one);
    }
    return evaluated(folders.file("log.json", text));
  };
  const EvaluationResult plain = log("", "");
  EXPECT_NEAR(plain.logged, 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(plain.policies[0].estimates[0].value, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(plain.policies[0].estimates[0].interval, IntervalKind::kAnytime);
  EXPECT_TRUE(plain.warnings.empty());
  // Three kept events of the second kind stand for six: 40 * (1 + 4 + 1) events in all.
  const EvaluationResult mixed = log("", R"(,"pdrop":0.75)");
  EXPECT_NEAR(mixed.logged, 1.0 / 6.0, 1e-12);
  const PolicyResult& first = mixed.policies[0];
  EXPECT_NEAR(first.estimates[0].value, 2.0 / 6.0, 1e-12);  // (2 * 1) / 6
  EXPECT_NEAR(first.estimates[1].value, 0.5, 1e-12);        // 2 / (2 + 2)
  EXPECT_NEAR(first.coverage.mean_weight(), 4.0 / 6.0, 1e-12);
  EXPECT_NEAR(first.gain, 1.0 / 6.0, 1e-12);
  EXPECT_EQ(first.estimates[0].interval, IntervalKind::kNormal);
  EXPECT_TRUE(std::isnan(first.gain_ends.low));
  EXPECT_THAT(first.warnings, Contains(HasSubstr("different values of pdrop")));
  ASSERT_EQ(mixed.warnings.size(), 1U);
  EXPECT_THAT(mixed.warnings[0], HasSubstr("40 decisions have a pdrop above 0"));
  EXPECT_NEAR(first.actions[0].logged_share, 1.0 / 3.0, 1e-12);
  // If all have the same, nothing changes.
  const EvaluationResult same = log(R"(,"pdrop":0.5)", R"(,"pdrop":0.5)");
  EXPECT_NEAR(same.logged_error, plain.logged_error, 1e-15);
  for (const std::size_t i : {0U, 1U}) {
    const EstimateResult &one = same.policies[0].estimates[i],
                         &other = plain.policies[0].estimates[i];
    EXPECT_NEAR(one.value, other.value, 1e-12);
    EXPECT_NEAR(one.error, other.error, 1e-12);
    EXPECT_EQ(one.interval, other.interval);
    EXPECT_NEAR(one.ends.low, other.ends.low, 1e-12);
  }
  EXPECT_NEAR(same.policies[0].coverage.effective_size(),
              plain.policies[0].coverage.effective_size(), 1e-9);
  EXPECT_NEAR(same.policies[0].coverage.mean_weight_z(), plain.policies[0].coverage.mean_weight_z(),
              1e-9);
}

TEST(OpenChoices, KnowsWhenDecisionsWereMadeAndWhetherTheFirstActionIsACallersChoice) {
  const testing::DataFolders folders;
  const std::string early = R"(,"Timestamp":"2024-05-01T10:00:00Z")",
                    late = R"(,"Timestamp":"2024-05-03T10:00:00Z")";
  const auto dsjson =
      folders.file("log.json", dsjson_line("1", "-1", early) + dsjson_line("2", "0", late));
  EXPECT_TRUE(open_choices(dsjson, {})->has_order());
  const EvaluationResult timed = evaluated(dsjson);
  EXPECT_EQ(timed.first_time, parse_time("2024-05-01T10:00:00Z"));
  EXPECT_EQ(timed.last_time, parse_time("2024-05-03T10:00:00Z"));
  EXPECT_EQ(timed.policies[0].course.back().time, timed.last_time);
  const EvaluationResult untimed = evaluated(
      folders.file("log.json", dsjson_line("1", "-1", early) + dsjson_line("2", "0", "")));
  EXPECT_EQ(untimed.last_time, 0);
  const auto csv = folders.file("log.csv",
                                "timestamp,action,chance,reward\n"
                                "2024-05-01 10:00:00+00:00,a,0.5,1\n"
                                "2024-05-02 10:00:00+00:00,b,0.5,0\n");
  EXPECT_FALSE(open_choices(csv, {})->has_order());
  EXPECT_EQ(evaluated(csv).last_time, parse_time("2024-05-02T10:00:00Z"));
  std::string line = json_line("a", 0.8, "1");
  line.insert(1, R"("time":"2024-05-01T10:00:00Z",)");
  EXPECT_EQ(evaluated(folders.file("log.jsonl", line + "\n")).last_time, timed.first_time);
}

TEST(OpenChoices, NamesLineAndField) {
  const testing::DataFolders folders;
  const std::string good = json_line("a", 0.8, "1") + "\n";
  const auto message = [&](const std::string& text) {
    const auto file = folders.file("log.jsonl", good + text);
    return testing::error_of([&] { evaluated(file); });
  };
  EXPECT_THAT(message("[]\n"), HasSubstr("log.jsonl, line 2: expected a JSON object"));
  EXPECT_THAT(message("{\n" + good), HasSubstr("line 2: not JSON"));
  EXPECT_THAT(message(json_line("c", 0.5, "1") + "\n"),
              HasSubstr("line 2: rewardActionId: 'c' is not one of the actions"));
  EXPECT_THAT(message(json_line("a", 0.5, "\"x\"") + "\n"),
              HasSubstr("line 2: reward: expected a number"));
  EXPECT_THAT(message(json_line("a", 0.0, "1") + "\n"),
              HasSubstr("line 2: the chance of the chosen action is 0"));
  EXPECT_THAT(message(json_line("a", 1.5, "1") + "\n"), HasSubstr("line 2: the chance"));
  EXPECT_THAT(message(R"({"rewardActionId":"a","reward":1,"actions":[{"id":"a"},)"
                      R"({"id":"b","probability":1}],"request":{}})"
                      "\n"),
              HasSubstr("line 2: actions: some have a probability and some do not"));
  EXPECT_THAT(message(dsjson_line("1", "-1", "")),
              HasSubstr("line 2: rewardActionId: is missing; expected a line of sau log export"));
  const auto mixed = folders.file("mixed.json", dsjson_line("1", "-1", "") + good);
  EXPECT_THAT(testing::error_of([&] { evaluated(mixed); }),
              HasSubstr("mixed.json, line 2: rewardActionId: this is a line of sau log export"));
  // The end of a file that is still being written.
  const auto torn = folders.file("torn.jsonl", good + good.substr(0, 30));
  EXPECT_EQ(evaluated(torn).skipped.at("torn line at the end"), 1U);
  EXPECT_THAT(testing::error_of([&] { evaluated(folders.file("none.jsonl", "")); }),
              HasSubstr("the file is empty"));
  EXPECT_THAT(testing::error_of([&] { evaluated(folders.path() / "missing"); }),
              HasSubstr("does not exist"));
}

}  // namespace
}  // namespace sau
