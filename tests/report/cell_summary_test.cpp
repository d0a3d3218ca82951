#include "sau/report/cell_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sau {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Cell cell_of(const std::string& problem, const std::string& agent, std::uint64_t trials) {
  return {.problem = problem,
          .agent = agent,
          .problem_spec = "spec of " + problem,
          .agent_spec = "spec of " + agent,
          .steps = 1000,
          .trials = trials};
}

// Regret 10, 20, ..., reward 1, 2, ...; every fourth trial is stuck.
CellResults results_of(const Cell& cell, std::size_t trials, double seconds = 0.5) {
  CellResults results{.cell = cell, .points = {}, .trials = {}, .seconds = seconds};
  for (std::size_t i = 1; i <= trials; ++i) {
    const auto x = static_cast<double>(i);
    results.trials.push_back({.regret = 10.0 * x, .reward = x, .stuck = i % 4 == 0, .curve = {}});
  }
  return results;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

TEST(Summarise, ElevenTrialsMatchTheHandCalculation) {
  const Cell cell = cell_of("p", "a", 11);
  const auto summaries = summarise({.seed = 1, .cells = {results_of(cell, 11)}}, {{cell}});
  ASSERT_EQ(summaries.size(), 1U);
  const CellSummary& summary = summaries[0];
  EXPECT_EQ(summary.trials, 11U);
  EXPECT_DOUBLE_EQ(summary.regret.mean, 60.0);
  EXPECT_DOUBLE_EQ(summary.regret.sem, 10.0);  // variance of 10..110 is 1100; sqrt(1100 / 11)
  EXPECT_DOUBLE_EQ(summary.regret.median, 60.0);
  EXPECT_DOUBLE_EQ(summary.regret.p10, 20.0);
  EXPECT_DOUBLE_EQ(summary.regret.p90, 100.0);
  EXPECT_DOUBLE_EQ(summary.reward.mean, 6.0);
  EXPECT_DOUBLE_EQ(summary.reward.p90, 10.0);
  EXPECT_DOUBLE_EQ(summary.stuck, 2.0 / 11.0);
  EXPECT_EQ(summary.seconds, 0.5);
}

TEST(Summarise, UsesOnlyTheTrialsAskedFor) {
  const RunResults results{.seed = 1, .cells = {results_of(cell_of("p", "a", 11), 11)}};
  const auto summaries = summarise(results, {{cell_of("p", "a", 3)}});
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].trials, 3U);
  EXPECT_DOUBLE_EQ(summaries[0].regret.mean, 20.0);
  EXPECT_DOUBLE_EQ(summaries[0].stuck, 0.0);
}

TEST(Summarise, UsesAsManyTrialsAsThereAre) {
  const RunResults results{.seed = 1, .cells = {results_of(cell_of("p", "a", 50), 2)}};
  const auto summaries = summarise(results, {{cell_of("p", "a", 50)}});
  EXPECT_EQ(summaries[0].trials, 2U);
  EXPECT_EQ(summaries[0].cell.trials, 50U);
  EXPECT_DOUBLE_EQ(summaries[0].regret.mean, 15.0);
}

TEST(Summarise, OneTrialHasNoStandardErrorAndNoTrialIsAllZero) {
  const Cell one = cell_of("p", "one", 1), none = cell_of("p", "none", 1);
  const auto summaries = summarise(
      {.seed = 1, .cells = {results_of(one, 1), results_of(none, 0, 0.0)}}, {{one, none}});
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].regret.sem, 0.0);
  EXPECT_EQ(summaries[0].regret.p10, 10.0);
  EXPECT_EQ(summaries[0].regret.p90, 10.0);
  EXPECT_EQ(summaries[1].trials, 0U);
  EXPECT_EQ(summaries[1].regret.mean, 0.0);
  EXPECT_EQ(summaries[1].stuck, 0.0);
}

TEST(Summarise, ReturnsTheCellsAskedForInOrder) {
  const Cell a = cell_of("p", "a", 2), b = cell_of("p", "b", 2), c = cell_of("p", "c", 2);
  Cell other_steps = a;
  other_steps.steps = 7;
  const RunResults results{.seed = 1, .cells = {results_of(a, 2), results_of(b, 2)}};
  const auto summaries = summarise(results, {{b, c, other_steps, a}});
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].cell.agent, "b");
  EXPECT_EQ(summaries[1].cell.agent, "a");
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

TEST(SummaryJson, HasExactlyTheDocumentedKeys) {
  const Cell cell = cell_of("p", "a", 11);
  const auto summaries = summarise({.seed = 1, .cells = {results_of(cell, 11)}}, {{cell}});
  const Json json = Json::parse(summary_json(summaries));
  EXPECT_THAT(keys_of(json), ElementsAre("cells"));
  ASSERT_EQ(json["cells"].size(), 1U);
  const Json& entry = json["cells"][0];
  EXPECT_THAT(keys_of(entry),
              ElementsAre("problem", "agent", "problem_spec", "agent_spec", "trials", "steps",
                          "failed", "failures", "regret", "reward", "stuck", "seconds"));
  EXPECT_THAT(keys_of(entry["regret"]), ElementsAre("mean", "sem", "median", "p10", "p90"));
  EXPECT_THAT(keys_of(entry["reward"]), ElementsAre("mean", "sem", "median", "p10", "p90"));
  EXPECT_EQ(entry["problem"], "p");
  EXPECT_EQ(entry["agent_spec"], "spec of a");
  EXPECT_EQ(entry["trials"], 11);
  EXPECT_EQ(entry["steps"], 1000);
  EXPECT_EQ(entry["failed"], 0);
  EXPECT_EQ(entry["failures"], Json::array());
  EXPECT_EQ(entry["regret"]["mean"].get<double>(), summaries[0].regret.mean);
  EXPECT_EQ(entry["stuck"].get<double>(), summaries[0].stuck);
}

TEST(SummaryJson, NumbersReadBackExactlyAndStringsAreEscaped) {
  Cell cell = cell_of("a \"quoted\" name", "sau_ucb(alpha=0.5)", 3);
  CellResults results = results_of(cell, 3);
  results.trials[0].regret = 0.1 + 0.2;
  const auto summaries = summarise({.seed = 1, .cells = {results}}, {{cell}});
  const Json json = Json::parse(summary_json(summaries));
  EXPECT_EQ(json["cells"][0]["problem"], cell.problem);
  EXPECT_EQ(json["cells"][0]["regret"]["p10"].get<double>(), summaries[0].regret.p10);
}

// Nobody should read the error of one trial as 0.
TEST(SummaryJson, TheStandardErrorOfOneTrialIsNull) {
  const Cell one = cell_of("p", "one", 1), two = cell_of("p", "two", 2);
  const auto summaries =
      summarise({.seed = 1, .cells = {results_of(one, 1), results_of(two, 2)}}, {{one, two}});
  const Json json = Json::parse(summary_json(summaries));
  EXPECT_TRUE(json["cells"][0]["regret"]["sem"].is_null());
  EXPECT_TRUE(json["cells"][0]["reward"]["sem"].is_null());
  EXPECT_EQ(json["cells"][0]["regret"]["mean"], 10.0);
  EXPECT_EQ(json["cells"][1]["regret"]["sem"], 5.0);
}

// Of three trials each; `shift` is added to every regret.
CellSummary summary_of(const std::string& problem, const std::string& agent, double shift = 0.0) {
  Cell cell = cell_of(problem, agent, 3);
  cell.agent_spec = agent;
  CellResults results = results_of(cell, 3);
  for (TrialRecord& trial : results.trials) trial.regret += shift;
  return summarise(results, 3);
}

TEST(Remarks, NameAgentsThatNeverExploreOnce) {
  const std::vector<CellSummary> summaries = {
      summary_of("p", "linear+greedy"), summary_of("p", "linear+sau_ucb", 1.0),
      summary_of("q", "linear+greedy"), summary_of("q", "an agent of one's own")};
  EXPECT_THAT(remark_lines(summaries), ElementsAre(HasSubstr("linear+greedy never explores")));
}

TEST(Remarks, NameAgentsThatDidAsWellAsOneWithoutContexts) {
  const std::vector<CellSummary> summaries = {
      summary_of("p", "linear+sau_ucb"), summary_of("p", "sample_mean+ucb1"),
      summary_of("p", "linear+lin_ucb", 1.0), summary_of("q", "linear+sau_ucb")};
  EXPECT_THAT(remark_lines(summaries),
              ElementsAre("linear+sau_ucb on p has exactly the results of sample_mean+ucb1, which "
                          "does not read contexts"));
}

TEST(SummaryJson, OfNothingIsAnEmptyList) {
  EXPECT_EQ(Json::parse(summary_json({})), Json::parse(R"({"cells":[]})"));
}

TEST(SummaryTable, HasEveryColumnAndTheStandardError) {
  const Cell cell = cell_of("bernoulli-10-0.1", "SAU-UCB", 11);
  const auto summaries = summarise({.seed = 1, .cells = {results_of(cell, 11)}}, {{cell}});
  const auto lines = lines_of(summary_table(summaries));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], HasSubstr("bernoulli-10-0.1"));
  EXPECT_THAT(lines[0], HasSubstr("1000 steps"));
  for (const char* title :
       {"agent", "trials", "regret", "median", "10-90 %", "stuck", "reward", "time/trial"}) {
    EXPECT_THAT(lines[1], HasSubstr(title));
  }
  for (const char* value : {"SAU-UCB", "11", "60.00 ± 10.00", "60.00", "20.00 - 100.0", "18.2 %",
                            "6.000", "500.0 ms"}) {
    EXPECT_THAT(lines[2], HasSubstr(value));
  }
}

TEST(SummaryTable, ColumnsLineUpWithNonAsciiText) {
  const Cell ascii = cell_of("p", "plain", 1100), wide = cell_of("p", "naïve-ε-größte", 2),
             none = cell_of("p", "none", 3);
  const auto summaries = summarise(
      {.seed = 1, .cells = {results_of(ascii, 1100), results_of(wide, 2), results_of(none, 0)}},
      {{ascii, wide, none}});
  const auto lines = lines_of(summary_table(summaries));
  ASSERT_EQ(lines.size(), 5U);
  // The last column is to the right, so all lines end together; ± and ï take one column each.
  for (std::size_t i = 2; i < lines.size(); ++i) {
    EXPECT_EQ(columns_of(lines[i]), columns_of(lines[1])) << lines[i];
    EXPECT_NE(lines[i].back(), ' ');
  }
}

TEST(SummaryTable, AFieldWithoutTrialsShowsDashesNotZeros) {
  const Cell none = cell_of("p", "none", 3);
  const auto lines =
      lines_of(summary_table(summarise({.seed = 1, .cells = {results_of(none, 0)}}, {{none}})));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[2], HasSubstr("-"));
  EXPECT_THAT(lines[2], ::testing::Not(HasSubstr("0.0")));
}

TEST(SummaryTable, HasNoMinusBeforeZero) {
  const Cell cell = cell_of("p", "a", 2);
  CellResults results = results_of(cell, 2);
  for (TrialRecord& trial : results.trials) trial.regret = -1e-14;
  const std::string text = summary_table(summarise({.seed = 1, .cells = {results}}, {{cell}}));
  EXPECT_THAT(text, HasSubstr("0.000 - 0.000"));
  EXPECT_EQ(text.find("-0.0"), std::string::npos);
}

TEST(SummaryTable, HasOneBlockPerProblem) {
  const Cell a = cell_of("p", "a", 2), b = cell_of("q", "b", 2);
  const std::string text = summary_table(
      summarise({.seed = 1, .cells = {results_of(a, 2), results_of(b, 2)}}, {{a, b}}));
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_TRUE(lines[0].starts_with("p "));
  EXPECT_EQ(lines[3], "");
  EXPECT_TRUE(lines[4].starts_with("q "));
  EXPECT_EQ(text.back(), '\n');
}

// Eleven trials of which the second and the fifth failed.
CellResults with_failures(const Cell& cell) {
  CellResults results = results_of(cell, 11);
  for (const std::size_t trial : {1U, 4U}) {
    results.trials[trial] = {};
    results.trials[trial].failure = "reason " + std::to_string(trial);
  }
  return results;
}

TEST(FailedTrials, CountAsTrialsButNotInTheStatistics) {
  const Cell cell = cell_of("p", "a", 11);
  const auto summaries = summarise({.seed = 1, .cells = {with_failures(cell)}}, {{cell}});
  const CellSummary& summary = summaries.at(0);
  EXPECT_EQ(summary.trials, 11U);
  EXPECT_EQ(summary.counted(), 9U);
  EXPECT_DOUBLE_EQ(summary.regret.mean, 590.0 / 9.0);  // 10 + ... + 110 without 20 and 50
  EXPECT_DOUBLE_EQ(summary.regret.median, 70.0);
  EXPECT_DOUBLE_EQ(summary.reward.mean, 59.0 / 9.0);
  EXPECT_DOUBLE_EQ(summary.stuck, 2.0 / 9.0);
  // Only those of the trials asked for.
  const Cell fewer = cell_of("p", "a", 3);
  const auto some = summarise({.seed = 1, .cells = {with_failures(cell)}}, {{fewer}});
  EXPECT_EQ(some.at(0).trials, 3U);
  EXPECT_EQ(some.at(0).failures.size(), 1U);
  EXPECT_DOUBLE_EQ(some.at(0).regret.mean, 20.0);
}

TEST(FailedTrials, AreInTheJsonWithTheirReasons) {
  const Cell cell = cell_of("p", "a", 11);
  const auto summaries = summarise({.seed = 1, .cells = {with_failures(cell)}}, {{cell}});
  const Json entry = Json::parse(summary_json(summaries))["cells"][0];
  EXPECT_EQ(entry["trials"], 11);
  EXPECT_EQ(entry["failed"], 2);
  EXPECT_EQ(entry["failures"], Json::parse(R"([{"trial": 1, "reason": "reason 1"},
                                               {"trial": 4, "reason": "reason 4"}])"));
}

TEST(FailedTrials, HaveAColumnOnlyWhereThereAreAny) {
  const Cell good = cell_of("p", "a", 11), bad = cell_of("p", "b", 11),
             other = cell_of("q", "a", 2);
  const auto summaries = summarise(
      {.seed = 1, .cells = {results_of(good, 11), with_failures(bad), results_of(other, 2)}},
      {{good, bad, other}});
  const auto lines = lines_of(summary_table(summaries));
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_THAT(lines[1], HasSubstr("trials   failed "));
  EXPECT_THAT(lines[2], HasSubstr("    11        0 "));
  EXPECT_THAT(lines[3], HasSubstr("    11        2 "));
  EXPECT_THAT(lines[6], ::testing::Not(HasSubstr("failed")));
  EXPECT_THAT(failure_lines(summaries),
              ElementsAre("b on p: 2 of 11 trials failed; first: trial 1: reason 1"));
}

TEST(FailedTrials, IfAllTrialsFailedThereAreNoNumbers) {
  const Cell cell = cell_of("p", "a", 2);
  CellResults results{.cell = cell, .points = {}, .trials = {}, .seconds = 0.5};
  results.trials.resize(2);
  for (TrialRecord& trial : results.trials) trial.failure = "diverged";
  const auto summaries = summarise({.seed = 1, .cells = {results}}, {{cell}});
  EXPECT_EQ(summaries.at(0).counted(), 0U);
  const Json entry = Json::parse(summary_json(summaries))["cells"][0];
  EXPECT_TRUE(entry["regret"].is_null());
  EXPECT_TRUE(entry["reward"].is_null());
  EXPECT_TRUE(entry["stuck"].is_null());
  const auto lines = lines_of(summary_table(summaries));
  EXPECT_THAT(lines.at(2), HasSubstr("2        2   "));
  EXPECT_THAT(lines.at(2), ::testing::Not(HasSubstr("0.0")));
}

TEST(SummaryTable, OfNothingIsEmpty) { EXPECT_EQ(summary_table({}), ""); }

}  // namespace
}  // namespace sau
