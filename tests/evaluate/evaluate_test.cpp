#include "sau/evaluate/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "evaluate/evaluate_support.hpp"
#include "sau/core/error.hpp"
#include "sau/evaluate/csv_choices.hpp"
#include "sau/evaluate/evaluation_text.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using testing::estimate;
using testing::evaluated;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::simulated_log;
using testing::SimulatedLog;

// The truth of uniform play is (0.7 + 0.3) / 2; the best action always earns 0.7.
TEST(Evaluate, FindsTheValueOfPolicies) {
  const SimulatedLog log = simulated_log(20'000, 5);
  const EvaluationResult result =
      evaluated(log, {"uniform", "logged", "constant(action=0)", "hashed_linear+greedy"});
  EXPECT_EQ(result.decisions, 20'000U);
  EXPECT_GT(result.chances.p, 1e-3);
  for (const PolicyResult& policy : result.policies) {
    EXPECT_THAT(policy.refused, IsEmpty()) << policy.name;
  }
  for (const char* name : {"dr", "ips", "snips"}) {
    const EstimateResult& uniform = estimate(result.policies[0], name);
    EXPECT_NEAR(uniform.value, 0.5, 4.0 * uniform.error) << name;
    EXPECT_LT(uniform.ends.low, 0.5);
    EXPECT_GT(uniform.ends.high, 0.5);
    const EstimateResult& greedy = estimate(result.policies[3], name);
    EXPECT_NEAR(greedy.value, 0.7, 4.0 * greedy.error + 0.01) << name;
  }
  EXPECT_EQ(estimate(result.policies[1], "ips").value, result.logged);
  EXPECT_NEAR(result.policies[1].gain, 0.0, 1e-15);
  // Greedy play is better than the log, and the log can tell.
  EXPECT_GT(result.policies[3].gain_ends.low, 0.0);
  EXPECT_LT(result.policies[0].gain_ends.high, result.policies[3].gain_ends.high);
}

TEST(Evaluate, TheRewardModelHelpsIfItIsGood) {
  const SimulatedLog log = simulated_log(20'000, 6, 0.95, 0.9, 0.7);
  const EvaluationResult result = evaluated(log, {"uniform"});
  const PolicyResult& policy = result.policies[0];
  EXPECT_LT(estimate(policy, "dr").error, 0.8 * estimate(policy, "ips").error);
  EvaluateOptions folds;
  folds.folds = 3;
  const EvaluationResult crossed = evaluated(log, {"uniform"}, folds);
  EXPECT_NEAR(estimate(crossed.policies[0], "dr").value, 0.8,
              4.0 * estimate(crossed.policies[0], "dr").error);
}

TEST(Evaluate, IsTheSameForAnyNumberOfThreads) {
  const SimulatedLog log = simulated_log(9'000, 7);
  const std::vector<std::string> policies = {"uniform", "hashed_linear+sau_sampling", "first"};
  EvaluateOptions options;
  options.threads = 1;
  options.train = 0.2;
  options.score.estimators = {"ips", "snips", "dm", "dr", "sndr", "switch", "dros", "mips"};
  const std::string one = evaluation_json(evaluated(log, policies, options), true);
  options.threads = 7;
  EXPECT_EQ(one, evaluation_json(evaluated(log, policies, options), true));
}

TEST(Evaluate, RefusesWhatTheLogCannotTell) {
  SimulatedLog log = simulated_log(40, 8);
  EXPECT_THAT(evaluated(log, {"constant(action=1)"}).policies[0].refused,
              ::testing::Contains(HasSubstr("effective sample size")));
  // The second action had no chance.
  SimulatedLog never;
  Rng rng(Stream{.seed = 9});
  for (int i = 0; i < 500; ++i) never.add(1.0, {1.0, 0.0}, rng);
  EXPECT_THAT(evaluated(never, {"uniform"}).policies[0].refused,
              ::testing::Contains(HasSubstr("50 % of what it plays had the logged chance 0")));
  SimulatedLog without = never;  // only the chance of the chosen action
  without.all_chances = false;
  const PolicyResult refused = evaluated(without, {"uniform"}).policies[0];
  EXPECT_THAT(refused.refused, ::testing::Contains(HasSubstr("never chose")));
  EXPECT_NEAR(refused.never_logged, 0.5, 1e-12);
  const EvaluationResult none = evaluated(never, {"constant(action=1)"});
  EXPECT_TRUE(std::isnan(estimate(none.policies[0], "snips").value));
  EXPECT_THAT(evaluation_text(none, true), HasSubstr("undefined"));
  EXPECT_THAT(evaluation_text(none, false), Not(HasSubstr("undefined")));
  // The anytime interval still holds: it only gets wide.
  EXPECT_EQ(estimate(none.policies[0], "ips").ends.low, 0.0);
  EXPECT_EQ(estimate(none.policies[0], "ips").ends.high, 1.0);
  // Direct method alone needs no chances.
  EvaluateOptions direct;
  direct.score.estimators = {"dm"};
  EXPECT_THAT(evaluated(never, {"constant(action=1)"}, direct).policies[0].refused, IsEmpty());
}

TEST(Evaluate, RefusesAnActionThatNobodyOffers) {
  const PolicyResult found =
      evaluated(simulated_log(300, 8), {"constant(action=green)"}).policies[0];
  EXPECT_THAT(found.refused, ::testing::Contains(HasSubstr("'green' is on offer in no decision")));
}

// Then actions are told apart by their ids, and mips is ips.
TEST(Evaluate, ActionsWithoutFeaturesAreNotAlike) {
  SimulatedLog log = simulated_log(300, 8);
  EvaluateOptions options;
  options.score.estimators = {"mips", "ips"};
  const PolicyResult found = evaluated(log, {"constant(action=1)"}, options).policies[0];
  EXPECT_DOUBLE_EQ(estimate(found, "mips").value, estimate(found, "ips").value);
  log.all_chances = false;
  const PolicyResult without = evaluated(log, {"constant(action=1)"}, options).policies[0];
  EXPECT_TRUE(std::isnan(estimate(without, "mips").value));
  EXPECT_THAT(without.warnings, ::testing::Contains(HasSubstr("mips needs the chances of all")));
}

TEST(Evaluate, NoticesWrongChances) {
  SimulatedLog log = simulated_log(5'000, 10);
  // Somebody wrote down the same chances for all.
  for (double& chance : log.chances) chance = 0.5;
  for (double& chance : log.chance) chance = 0.5;
  const EvaluationResult flat = evaluated(log, {"constant(action=0)"});
  EXPECT_LT(flat.chances.p, 1e-6);
  EXPECT_THAT(flat.policies[0].refused, ::testing::Contains(HasSubstr("contradict")));
  // The same without the chances of the other actions: the weights do not average to 1.
  log.all_chances = false;
  EXPECT_THAT(evaluated(log, {"constant(action=0)"}).policies[0].warnings,
              ::testing::Contains(HasSubstr("the mean weight is")));
  // Chances of the other action, by mistake.
  SimulatedLog swapped = simulated_log(5'000, 11);
  for (std::size_t i = 0; i < swapped.chances.size(); i += 2) {
    std::swap(swapped.chances[i], swapped.chances[i + 1]);
  }
  for (std::size_t i = 0; i < swapped.chance.size(); ++i) {
    swapped.chance[i] = swapped.chances[2 * i + swapped.chosen[i]];
  }
  EXPECT_THAT(evaluated(swapped, {"uniform"}).policies[0].refused,
              ::testing::Contains(HasSubstr("contradict")));
}

TEST(Evaluate, NamesTheLineOfImpossibleInput) {
  const auto message = [](SimulatedLog log) {
    return testing::error_of([&] { evaluated(log, {"uniform"}); });
  };
  SimulatedLog log = simulated_log(700, 12);
  log.all_chances = false;
  log.chance[649] = 0.0;
  EXPECT_THAT(message(log), HasSubstr("line 650: the chance of the chosen action is 0"));
  log.chance[649] = 1.5;
  EXPECT_THAT(message(log), HasSubstr("line 650: the chance"));
  log.chance[649] = std::nan("");
  EXPECT_THAT(message(log), HasSubstr("line 650: the chance"));
  log.chance[649] = 0.5;
  log.rewards[99] = 2.0;
  EXPECT_THAT(message(log), HasSubstr("line 100: the reward 2 is outside 0 to 1"));
  log.rewards[99] = 1.0;
  log.chosen[3] = 2;
  EXPECT_THAT(message(log), HasSubstr("row 4: there is no action 2"));
  SimulatedLog sums = simulated_log(10, 12);
  sums.chances[5] += 0.1;
  EXPECT_THAT(message(sums), HasSubstr("the chances add up to"));
}

TEST(Evaluate, FrozenPoliciesLearnFromTheFirstPartOnly) {
  const SimulatedLog log = simulated_log(4'000, 13);
  EvaluateOptions options;
  options.train = 0.5;
  const EvaluationResult result =
      evaluated(log, {"hashed_linear+greedy"}, options, Learning::kFrozen);
  EXPECT_EQ(result.learned, 2'000U);
  EXPECT_EQ(result.decisions, 2'000U);
  EXPECT_EQ(result.policies[0].learning, "frozen");
  EXPECT_NEAR(estimate(result.policies[0], "dr").value, 0.7,
              4.0 * estimate(result.policies[0], "dr").error);
}

TEST(Evaluate, ReplayAcceptsAsOftenAsItAgrees) {
  SimulatedLog log;
  Rng rng(Stream{.seed = 14});
  for (int i = 0; i < 6'000; ++i) log.add(rng.uniform() < 0.5 ? 1.0 : -1.0, {0.5, 0.5}, rng);
  const EvaluationResult result =
      evaluated(log, {"hashed_linear+sau_sampling"}, {}, Learning::kReplayed);
  const ReplayResult& replay = result.policies[0].replay;
  // On a uniform log of two actions half of all decisions are those of any other policy.
  EXPECT_NEAR(static_cast<double>(replay.accepted), 3'000.0, 4.0 * std::sqrt(1'500.0));
  EXPECT_EQ(replay.cut, 0U);
  EXPECT_NEAR(replay.value, 0.7, 4.0 * replay.error + 0.02);
}

// Figures computed by separate code.
TEST(Evaluate, OpenBanditAnchors) {
  const testing::DataFolders folders;
  SAU_NEED_SHARED_DATA(folders);
  const auto folder = testing::DataFolders::shared_data() / "obd";
  EvaluateOptions options;
  options.score.estimators = {"ips", "snips"};
  options.score.interval = IntervalKind::kNormal;
  const auto run = [&](const char* file) {
    const auto source = open_csv_choices(folder / file, {}, {});
    std::vector<PolicyPlan> plans;
    plans.push_back({make_target("uniform", 1), Learning::kFollowing});
    return evaluate(*source, std::move(plans), {}, options);
  };
  const EvaluationResult men = run("bts-men.csv.gz");
  const PolicyResult& fair = men.policies[0];
  EXPECT_NEAR(men.logged, 0.0069, 1e-12);
  EXPECT_NEAR(estimate(fair, "ips").value, 0.00300862632726, 5e-15);
  EXPECT_NEAR(estimate(fair, "snips").value, 0.00318942316228, 5e-15);
  EXPECT_NEAR(estimate(fair, "ips").ends.low, 0.00149174069, 5e-12);
  EXPECT_NEAR(estimate(fair, "ips").ends.high, 0.00452551196, 5e-12);
  EXPECT_NEAR(fair.coverage.mean_weight(), 0.943314, 5e-7);
  EXPECT_NEAR(fair.coverage.largest, 178.2531, 5e-5);
  EXPECT_NEAR(fair.coverage.effective_size(), 655.7, 0.05);
  EXPECT_THAT(fair.refused, IsEmpty());
  const EvaluationResult women = run("bts-women.csv.gz");
  const PolicyResult& alarm = women.policies[0];
  EXPECT_NEAR(women.logged, 0.0046, 1e-12);
  EXPECT_NEAR(estimate(alarm, "ips").value, 0.00743757754192, 5e-15);
  EXPECT_NEAR(estimate(alarm, "snips").value, 0.00237304614345, 5e-15);
  EXPECT_NEAR(estimate(alarm, "ips").ends.low, -0.000634261976, 5e-13);
  EXPECT_NEAR(estimate(alarm, "ips").ends.high, 0.0155094171, 5e-11);
  EXPECT_NEAR(alarm.coverage.mean_weight(), 3.134190, 5e-7);
  EXPECT_NEAR(alarm.coverage.largest, 21739.1304, 5e-5);
  EXPECT_NEAR(alarm.coverage.effective_size(), 2.1, 0.05);
  EXPECT_EQ(alarm.refused.size(), 2U);
}

TEST(CsvChoices, NamesFileLineAndColumn) {
  const testing::TemporaryFolder folder;
  const auto message = [&](const std::string& text, const CsvColumns& columns = {}) {
    const auto file = folder.path() / "log.csv";
    std::ofstream(file) << text;
    return testing::error_of([&] {
      const auto source = open_csv_choices(file, columns, {});
      ChoiceBatch batch;
      batch.clear();
      while (auto piece = source->next()) (*piece)(batch);
    });
  };
  EXPECT_THAT(message("a,b\n1,2\n"), HasSubstr("which column is the action?"));
  EXPECT_THAT(message("action,chance,reward\nx,0.5,1\nx,0.5\n"),
              HasSubstr("log.csv, line 3: 2 fields, but the header has 3"));
  EXPECT_THAT(message("action,chance,reward\nx,0.5,1\nx,half,1\n"),
              HasSubstr("log.csv, line 3: column 'chance' is 'half'; expected a number"));
  EXPECT_THAT(message("action,chance,reward\nx,0.5,\n"), HasSubstr("column 'reward' is ''"));
  EXPECT_THAT(message("action,chance,reward\nx,0.5,1\n", {.group = "place"}),
              HasSubstr("there is no column 'place' (--group)"));
  EXPECT_THAT(message(""), HasSubstr("empty"));
}

TEST(CsvChoices, OffersTheActionsOfTheGroup) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "log.csv";
  std::ofstream(file) << "place,action,chance,reward,device\n"
                         "1,10,0.5,1,phone\n1,9,0.5,0,phone\n2,red,1,0,desk\n";
  const auto source = open_csv_choices(file, {.group = "place"}, {"device"});
  ChoiceBatch batch;
  batch.clear();
  while (auto piece = source->next()) (*piece)(batch);
  batch.finish();
  ASSERT_EQ(batch.size(), 3U);
  ASSERT_EQ(batch[0].actions.size(), 2U);
  EXPECT_EQ(batch[0].actions[0].id, "9");
  EXPECT_EQ(batch[0].chosen, 1U);
  EXPECT_EQ(batch[2].actions.size(), 1U);
  EXPECT_EQ(batch[2].line, 4U);
  EXPECT_EQ(batch[1].segments[0], "phone");
  EXPECT_EQ(batch[0].context.size(), 2U);
}

TEST(CsvChoices, ATornLineAtTheEndIsLeftOut) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "log.csv";
  const std::string rows = "action,chance,reward\nx,0.5,1\ny,0.5,0\n";
  for (const char* torn : {"x,0.", "x"}) {
    std::ofstream(file) << rows << torn;
    const auto source = open_csv_choices(file, {}, {});
    EXPECT_EQ(source->last_line(), 3U);
    ChoiceBatch batch;
    batch.clear();
    while (auto piece = source->next()) (*piece)(batch);
    EXPECT_EQ(batch.size(), 2U);
    EXPECT_EQ(batch.skipped().at("torn line at the end"), 1U);
  }
}

}  // namespace
}  // namespace sau
