// Trials whose agent breaks down are kept and reported, but not counted in the statistics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "run/run_support.hpp"
#include "sau/agent/agent_of.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/greedy.hpp"
#include "sau/report/cell_summary.hpp"
#include "support/diverging.hpp"

namespace sau {
namespace {

using test::all_files;
using test::experiment_of;
using test::kUcb;
using test::lines_of;
using test::reading_refusal;
using test::refusal;
using test::replaced;
using test::result_files;
using test::TemporaryFolder;
using testing::Diverging;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kReason = "the loss of update 7 is \"inf\", not finite; try less";

using DivergingAgent = AgentOf<Diverging, Greedy>;

DivergingAgent diverging_agent(Shape shape, std::uint64_t limit) {
  return {"diverging+greedy", shape, Diverging(shape.actions, limit), Greedy({shape, {}})};
}

// Every third trial of SAU-UCB, and every trial of TS, is played by an agent that breaks down.
bool fragile_trial(std::size_t /*index*/, const Cell& cell, std::uint64_t seed, std::uint64_t trial,
                   std::span<const std::uint64_t> points, const TrialControl& control,
                   TrialRecord& record) {
  if (cell.agent == "SAU-UCB" && trial % 3 != 1) {
    return run_trial(cell, seed, trial, points, control, record);
  }
  const auto problem = make_problem(cell.problem_spec, {});
  auto agent = diverging_agent(problem->shape(), 7);
  return play_trial(agent, *problem, {Rng({.seed = trial}), Rng({.seed = trial})}, cell.steps,
                    points, control, record);
}

RunOutcome run_fragile(const test::fs::path& path, const Experiment& experiment,
                       unsigned threads = 1) {
  ResultFolder folder(path, experiment);
  return run(experiment, folder, {.threads = threads, .trial = fragile_trial});
}

// One action, always with the same reward and regret.
class Paying final : public Problem {
 public:
  Paying(double reward, double regret) : reward_(reward), regret_(regret) {}
  Shape shape() const override { return {1, 0}; }
  RewardRange rewards() const override { return {}; }
  std::uint64_t default_steps() const override { return 10; }
  Context next(Rng&) override { return {}; }
  double pull(Action, Rng&) override { return reward_; }
  double regret(Action) const override { return regret_; }

 private:
  double reward_, regret_;
};

TrialRecord played(double reward, double regret, std::uint64_t limit = 0) {
  Paying problem(reward, regret);
  auto agent = diverging_agent(problem.shape(), limit);
  TrialRecord record;
  EXPECT_TRUE(
      play_trial(agent, problem, {Rng({}), Rng({})}, 10, curve_points(10), nullptr, record));
  return record;
}

TEST(PlayTrial, WithAFaultFailsAndHasNoNumbers) {
  const TrialRecord record = played(1.0, 0.5, 7);
  EXPECT_TRUE(record.failed());
  EXPECT_EQ(record.failure, kReason);
  EXPECT_EQ(record.regret, 0.0);
  EXPECT_EQ(record.reward, 0.0);
  EXPECT_FALSE(record.stuck);
  EXPECT_TRUE(record.curve.empty());
}

TEST(PlayTrial, WithoutAFaultCounts) {
  for (const std::uint64_t limit : {0U, 11U}) {
    const TrialRecord record = played(1.0, 0.5, limit);
    EXPECT_FALSE(record.failed());
    EXPECT_EQ(record.reward, 10.0);
    EXPECT_EQ(record.regret, 5.0);
  }
}

TEST(PlayTrial, WithATotalThatIsNotFiniteFails) {
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(played(kMost, 0.5).failure, "the total reward is not finite");
  EXPECT_EQ(played(1.0, kMost).failure, "the total regret is not finite");
  EXPECT_EQ(played(kMost, kMost, 7).failure, kReason);  // the cause, not its consequences
}

TEST(FailedTrials, AreRowsWithTheReasonAndWithoutNumbers) {
  const TemporaryFolder place;
  const RunOutcome outcome = run_fragile(place / "r", experiment_of({"sau_ucb"}, 20, 4));
  EXPECT_TRUE(outcome.complete);
  EXPECT_TRUE(outcome.failures.empty());
  EXPECT_EQ(outcome.new_trials, 4U);
  const auto lines = lines_of(read_file(place / "r" / kUcb));
  ASSERT_EQ(lines.size(), 5U);
  const std::string start = "1,\"the loss of update 7 is \"\"inf\"\", not finite; try less\",";
  EXPECT_TRUE(lines[2].starts_with(start)) << lines[2];
  // regret, reward, stuck and twenty points, all empty; then the checksum
  EXPECT_EQ(lines[2].substr(start.size(), 23), std::string(23, ','));
  EXPECT_EQ(lines[2].size(), start.size() + 23 + 8);
  const RunResults results = read_results(place / "r", Curves::kRead);
  const auto& trials = results.cells.at(0).trials;
  ASSERT_EQ(trials.size(), 4U);
  EXPECT_EQ(trials[1].failure, kReason);
  EXPECT_TRUE(trials[1].curve.empty());
  for (const std::size_t good : {0U, 2U, 3U}) {
    EXPECT_FALSE(trials[good].failed());
    EXPECT_EQ(trials[good].curve.size(), 20U);
  }
}

TEST(FailedTrials, DoNotChangeTheOtherTrials) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb"}, 50, 6);
  run_fragile(place / "fragile", experiment);
  test::run_into(place / "sound", experiment);
  const auto fragile = read_results(place / "fragile", Curves::kRead).cells.at(0).trials;
  const auto sound = read_results(place / "sound", Curves::kRead).cells.at(0).trials;
  for (const std::size_t trial : {0U, 2U, 3U, 5U}) {
    EXPECT_EQ(fragile[trial].regret, sound[trial].regret);
    EXPECT_EQ(fragile[trial].curve, sound[trial].curve);
  }
}

TEST(FailedTrials, GiveTheSameBytesForAnyThreadCount) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts"}, 200, 23);
  run_fragile(place / "1", experiment, 1);
  const auto expected = result_files(place / "1");
  for (const unsigned threads : {2U, 7U}) {
    run_fragile(place / std::to_string(threads), experiment, threads);
    EXPECT_EQ(result_files(place / std::to_string(threads)), expected) << threads << " threads";
  }
}

TEST(FailedTrials, AreNotRunAgain) {
  const TemporaryFolder place;
  run_fragile(place / "r", experiment_of({"sau_ucb", "ts"}, 20, 4));
  const auto before = result_files(place / "r");
  EXPECT_EQ(run_fragile(place / "r", experiment_of({"sau_ucb", "ts"}, 20, 4)).new_trials, 0U);
  EXPECT_EQ(result_files(place / "r"), before);
  EXPECT_EQ(run_fragile(place / "r", experiment_of({"sau_ucb", "ts"}, 20, 6)).new_trials, 4U);
  EXPECT_TRUE(result_files(place / "r").at(kUcb).starts_with(before.at(kUcb)));
}

TEST(FailedTrials, ARowTornAtAnyByteIsRunAgain) {
  const TemporaryFolder place;
  const auto folder = place / "r";
  const Experiment experiment = experiment_of({"sau_ucb"}, 7, 2);
  run_fragile(folder, experiment);
  const std::string whole = read_file(folder / kUcb);
  const std::size_t last_row = whole.rfind('\n', whole.size() - 2) + 1;
  ASSERT_EQ(whole.substr(last_row, 3), "1,\"");
  for (std::size_t size = last_row; size < whole.size(); ++size) {
    test::fs::resize_file(folder / kUcb, size);
    ASSERT_EQ(read_results(folder, Curves::kRead).cells.at(0).trials.size(), 1U) << size;
    EXPECT_EQ(run_fragile(folder, experiment).new_trials, 1U);
    ASSERT_EQ(read_file(folder / kUcb), whole) << "cut at byte " << size;
  }
}

TEST(FailedTrials, AReasonStaysOnOneLine) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb"}, 6, 1);
  {
    ResultFolder folder(place / "r", experiment);
    TrialRecord record;
    record.failure = "two\nlines,\tand \"\"";
    folder.append(0, record, 0.0);
  }
  EXPECT_EQ(lines_of(read_file(place / "r" / kUcb)).size(), 2U);
  EXPECT_EQ(read_results(place / "r", Curves::kRead).cells.at(0).trials.at(0).failure,
            "two lines, and \"\"");
}

TEST(FailedTrials, AreSummarisedSeparately) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts"}, 50, 6);
  run_fragile(place / "r", experiment);
  const auto summaries = summarise(read_results(place / "r", Curves::kSkip), experiment.cells);
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].counted(), 4U);
  EXPECT_GT(summaries[0].regret.mean, 0.0);
  EXPECT_EQ(summaries[1].counted(), 0U);
  EXPECT_THAT(failure_lines(summaries),
              ElementsAre("SAU-UCB on bernoulli-10-0.1: 2 of 6 trials failed; first: trial 1: " +
                              std::string(kReason),
                          "TS on bernoulli-10-0.1: 6 of 6 trials failed; first: trial 0: " +
                              std::string(kReason)));
}

// Removes the second column from every row of a cell and adds new checksums: format version 1.
std::string as_version_1(const std::string& cell) {
  std::string text;
  for (const std::string& line : lines_of(cell)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    std::string row = line.substr(0, first) + line.substr(second);
    if (!text.empty()) row = test::sealed(test::body_of(row));
    text += row + "\n";
  }
  return text;
}

TEST(FormatVersion1, IsReadAndNotAddedTo) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb"}, 20, 4);
  test::run_into(place / "r", experiment);
  const auto expected = read_results(place / "r", Curves::kRead).cells.at(0).trials;
  write_file(place / "r" / kUcb, as_version_1(read_file(place / "r" / kUcb)));
  EXPECT_THAT(reading_refusal(place / "r"), HasSubstr("header"));  // later versions have another
  write_file(place / "r" / "run.json",
             replaced(read_file(place / "r" / "run.json"), "\"version\": 3", "\"version\": 1"));
  const auto before = all_files(place / "r");
  const auto trials = read_results(place / "r", Curves::kRead).cells.at(0).trials;
  ASSERT_EQ(trials.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(trials[i].failed());
    EXPECT_EQ(trials[i].regret, expected[i].regret);
    EXPECT_EQ(trials[i].curve, expected[i].curve);
  }
  const std::string message = refusal(place / "r", experiment);
  EXPECT_THAT(message, HasSubstr((place / "r").string()));
  EXPECT_THAT(message, HasSubstr("format version 1"));
  EXPECT_THAT(message, HasSubstr("writes version 3"));
  EXPECT_EQ(all_files(place / "r"), before);
}

}  // namespace
}  // namespace sau
