#include "sau/run/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/run_support.hpp"
#include "sau/core/version.hpp"
#include "sau/report/cell_summary.hpp"
#include "support/data_folders.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using test::experiment_of;
using test::kTs;
using test::kUcb;
using test::lines_of;
using test::result_files;
using test::run_into;
using test::TemporaryFolder;
using ::testing::ElementsAre;

TEST(Results, SettingsHaveEverything) {
  const TemporaryFolder place;
  Experiment experiment = experiment_of({"SAU-UCB", "sau_ucb(alpha=0.5)"}, 100, 3);
  experiment.seed = 18446744073709551615U;
  run_into(place / "r", experiment);
  const auto json = nlohmann::json::parse(read_file(place / "r" / "run.json"));
  EXPECT_EQ(json.at("format"), "sau-run");
  EXPECT_EQ(json.at("version"), 3);
  EXPECT_EQ(json.at("sau"), version());
  EXPECT_EQ(json.at("seed"), 18446744073709551615U);
  ASSERT_EQ(json.at("cells").size(), 2U);
  const auto& cell = json.at("cells")[1];
  EXPECT_EQ(cell.at("problem"), "bernoulli-10-0.1");
  EXPECT_EQ(cell.at("problem_spec"), "bernoulli(best=0)");
  EXPECT_EQ(cell.at("agent_spec"), "sample_mean+sau_ucb(alpha=0.5)");
  EXPECT_EQ(cell.at("steps"), 100);
  EXPECT_EQ(cell.at("trials"), 3);
  EXPECT_TRUE(test::fs::exists(place / "r" / cell.at("file").get<std::string>()));
  EXPECT_EQ(read_results(place / "r", Curves::kSkip).seed, experiment.seed);
}

// Before version 3, `bernoulli` and `wheel` meant that the first action is the best.
TEST(Results, OfEarlierVersionsKeepTheirMeaning) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb"}, 20, 2,
                                      {"bernoulli-10-0.1", "bernoulli(actions=3,best=0)",
                                       "wheel(delta=0.8,best=0)+late(delay=3)",
                                       "bernoulli(means=0.2x0.4)", "linear"}));
  const RunResults now = read_results(place / "r", Curves::kSkip);
  std::string settings = read_file(place / "r" / "run.json");
  for (const auto& [from, to] : {std::pair("\"version\": 3", "\"version\": 2"),
                                 {"bernoulli(best=0)", "bernoulli"},
                                 {"bernoulli(actions=3,best=0)", "bernoulli(actions=3)"},
                                 {"wheel(delta=0.8,best=0)", "wheel(delta=0.8)"}}) {
    for (std::size_t at = 0; (at = settings.find(from, at)) != std::string::npos;) {
      settings.replace(at, std::string_view(from).size(), to);
    }
  }
  EXPECT_EQ(settings.find("best="), std::string::npos);
  write_file(place / "r" / "run.json", settings);
  const RunResults before = read_results(place / "r", Curves::kSkip);
  ASSERT_EQ(before.cells.size(), now.cells.size());
  for (std::size_t i = 0; i < now.cells.size(); ++i) {
    EXPECT_TRUE(before.cells[i].cell.same_as(now.cells[i].cell));
    EXPECT_EQ(before.cells[i].cell.problem, now.cells[i].cell.problem);
  }
}

TEST(Results, HaveOneRowPerTrialWithTheCurveAndAChecksum) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb"}, 20, 3));
  const auto lines = lines_of(read_file(place / "r" / kUcb));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].substr(0, 42), "trial,failed,regret,reward,stuck,regret@1,");
  EXPECT_TRUE(lines[0].ends_with(",regret@20,crc32"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with(std::to_string(i - 1) + ",,"));
    EXPECT_EQ(std::ranges::count(lines[i], ','), std::ranges::count(lines[0], ','));
    const std::size_t comma = lines[i].rfind(',');
    EXPECT_EQ(std::stoul(lines[i].substr(comma + 1), nullptr, 16),
              crc32(lines[i].substr(0, comma)));
  }
}

TEST(Results, ReadBackWhatWasRun) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_sampling"}, 150, 4);
  run_into(place / "r", experiment);
  const RunResults results = read_results(place / "r", Curves::kRead);
  ASSERT_EQ(results.cells.size(), 1U);
  const CellResults& cell = results.cells[0];
  EXPECT_TRUE(cell.cell.same_as(experiment.cells[0]));
  EXPECT_EQ(cell.points, curve_points(150));
  ASSERT_EQ(cell.trials.size(), 4U);
  EXPECT_GT(cell.seconds, 0.0);
  for (std::uint64_t trial = 0; trial < 4; ++trial) {
    TrialRecord expected;
    ASSERT_TRUE(run_trial(experiment.cells[0], 1, trial, cell.points, nullptr, expected));
    EXPECT_EQ(cell.trials[trial].regret, expected.regret);
    EXPECT_EQ(cell.trials[trial].reward, expected.reward);
    EXPECT_EQ(cell.trials[trial].stuck, expected.stuck);
    EXPECT_EQ(cell.trials[trial].curve, expected.curve);
  }
  EXPECT_TRUE(read_results(place / "r", Curves::kSkip).cells[0].trials[0].curve.empty());
}

TEST(Results, MoreTrialsRunOnlyWhatIsMissing) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb", "ts"}, 100, 3));
  const auto before = result_files(place / "r");
  const RunOutcome more = run_into(place / "r", experiment_of({"sau_ucb", "ts"}, 100, 8));
  EXPECT_EQ(more.new_trials, 10U);
  EXPECT_TRUE(more.complete);
  const auto after = result_files(place / "r");
  EXPECT_TRUE(after.at(kUcb).starts_with(before.at(kUcb)));
  EXPECT_TRUE(after.at(kTs).starts_with(before.at(kTs)));
  run_into(place / "fresh", experiment_of({"sau_ucb", "ts"}, 100, 8));
  EXPECT_EQ(after, result_files(place / "fresh"));
}

TEST(Results, MoreAgentsRunOnlyWhatIsMissing) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb"}, 100, 4));
  const auto before = result_files(place / "r");
  EXPECT_EQ(run_into(place / "r", experiment_of({"sau_ucb", "ts"}, 100, 4)).new_trials, 4U);
  EXPECT_EQ(result_files(place / "r").at(kUcb), before.at(kUcb));
  // The other agents stay, although they are not asked for again.
  EXPECT_EQ(run_into(place / "r", experiment_of({"ucb1"}, 100, 2)).new_trials, 2U);
  const RunResults results = read_results(place / "r", Curves::kSkip);
  ASSERT_EQ(results.cells.size(), 3U);
  EXPECT_EQ(results.cells[0].trials.size(), 4U);
  EXPECT_EQ(results.cells[1].trials.size(), 4U);
  EXPECT_EQ(results.cells[2].trials.size(), 2U);
}

TEST(Results, FewerTrialsRunNothingAndSummariseOnlyThose) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb"}, 100, 9));
  const auto before = result_files(place / "r");
  const Experiment fewer = experiment_of({"sau_ucb"}, 100, 4);
  EXPECT_EQ(run_into(place / "r", fewer).new_trials, 0U);
  EXPECT_EQ(result_files(place / "r"), before);  // what was asked for before is still asked for
  run_into(place / "four", fewer);
  const auto some = summarise(read_results(place / "r", Curves::kSkip), fewer.cells);
  const auto four = summarise(read_results(place / "four", Curves::kSkip), fewer.cells);
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some[0].trials, 4U);
  EXPECT_EQ(some[0].regret.mean, four[0].regret.mean);
  EXPECT_EQ(some[0].regret.p90, four[0].regret.p90);
  EXPECT_EQ(some[0].reward.median, four[0].reward.median);
}

TEST(Results, TheSameCellWithOtherStepsIsAnotherCell) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb"}, 100, 2));
  EXPECT_EQ(run_into(place / "r", experiment_of({"sau_ucb"}, 50, 3)).new_trials, 3U);
  const RunResults results = read_results(place / "r", Curves::kSkip);
  ASSERT_EQ(results.cells.size(), 2U);
  EXPECT_EQ(results.cells[0].trials.size(), 2U);
  EXPECT_EQ(results.cells[1].trials.size(), 3U);
  EXPECT_EQ(result_files(place / "r").size(), 3U);
}

TEST(Results, NamesThatMakeTheSameFileNameGetTheirOwnFiles) {
  const TemporaryFolder place;
  Experiment experiment = experiment_of({"sau_ucb", "ts"}, 50, 2);
  experiment.cells[0].agent = "a/b";
  experiment.cells[1].agent = "a b";
  run_into(place / "r", experiment);
  EXPECT_EQ(result_files(place / "r").size(), 3U);
  const RunResults results = read_results(place / "r", Curves::kSkip);
  EXPECT_EQ(results.cells[0].trials.size(), 2U);
  EXPECT_EQ(results.cells[1].trials.size(), 2U);
}

TEST(Results, EverySessionThatWroteIsRecorded) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb"}, 50, 2), 2);
  run_into(place / "r", experiment_of({"sau_ucb"}, 50, 2), 2);  // writes nothing
  run_into(place / "r", experiment_of({"sau_ucb"}, 50, 5), 3);
  const auto lines = lines_of(read_file(place / "r" / "sessions.jsonl"));
  ASSERT_EQ(lines.size(), 2U);
  const auto first = nlohmann::json::parse(lines[0]), second = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(first.at("new_trials"), 2);
  EXPECT_EQ(first.at("threads"), 2);
  EXPECT_EQ(second.at("new_trials"), 3);
  EXPECT_EQ(second.at("threads"), 3);
  for (const char* key : {"finished", "sau", "commit", "compiler", "cpu"}) {
    EXPECT_FALSE(first.at(key).get<std::string>().empty()) << key;
  }
}

TEST(Results, OtherDataUnderTheSameNameAreRefused) {
  const TemporaryFolder place;
  const sau::testing::DataFolders data;
  const std::string file = data.file("rows.csv", "a,kind\n1,x\n2,y\n");
  const std::string spec = "csv(file=\"" + file + "\")";
  const auto rows = [&](std::uint64_t trials) {
    return experiment_of({"uniform"}, 0, trials, {spec});
  };
  const Experiment first = rows(2);
  run_into(place / "r", first);
  const std::string settings = read_file(place / "r" / "run.json");
  const auto cell = nlohmann::json::parse(settings).at("cells")[0];
  EXPECT_EQ(cell.at("data"), first.cells[0].data);
  EXPECT_EQ(run_into(place / "r", rows(3)).new_trials, 1U);

  data.file("rows.csv", "a,kind\n1,x\n3,y\n");
  const auto before = result_files(place / "r");
  const std::string why = (place / "r").string() + ": the data of " + first.cells[0].problem_spec +
                          " have changed since its trials were played; choose another --out";
  EXPECT_EQ(test::refusal(place / "r", rows(4)), why);
  EXPECT_EQ(sau::testing::error_of([&] { preview_results(place / "r", rows(4)); }), why);
  EXPECT_EQ(result_files(place / "r"), before);
  EXPECT_TRUE(run_into(place / "other", rows(4)).complete);

  // A folder from before this field existed.
  auto old = nlohmann::json::parse(settings);
  old.at("cells")[0].erase("data");
  write_file(place / "r" / "run.json", old.dump());
  EXPECT_TRUE(run_into(place / "r", rows(4)).complete);
}

TEST(Results, DataThatChangeDuringARunStopTheirCell) {
  const TemporaryFolder place;
  const sau::testing::DataFolders data;
  const std::string file = data.file("rows.csv", "a,kind\n1,x\n2,y\n");
  const Experiment experiment =
      experiment_of({"uniform"}, 0, 2, {"csv(file=\"" + file + "\")", "bernoulli(actions=3)"});
  data.file("rows.csv", "a,kind\n1,x\n3,y\n");
  const RunOutcome outcome = run_into(place / "r", experiment);
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_TRUE(outcome.failures[0].ends_with(" have changed since the run began"))
      << outcome.failures[0];
  EXPECT_EQ(outcome.new_trials, 2U);
}

TEST(Results, ParentFoldersAreMade) {
  const TemporaryFolder place;
  EXPECT_TRUE(run_into(place / "a/b/c", experiment_of({"sau_ucb"}, 20, 1)).complete);
  EXPECT_TRUE(test::fs::exists(place / "a/b/c/run.json"));
}

}  // namespace
}  // namespace sau
