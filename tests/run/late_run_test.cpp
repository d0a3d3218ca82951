// The runner with rewards that come late or never, and with problems whose actions come and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/run_support.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/run/plan.hpp"

namespace sau {
namespace {

using test::experiment_of;
using test::result_files;
using test::run_into;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TrialRecord trial_of(const std::string& problem, const std::string& agent, std::uint64_t steps,
                     std::uint64_t trial = 0) {
  const Cell cell = make_cell(problem, agent, steps, 1);
  const auto points = curve_points(cell.steps);
  TrialRecord record;
  EXPECT_TRUE(run_trial(cell, 1, trial, points, nullptr, record));
  return record;
}

TEST(LateProblem, IsPartOfTheNames) {
  const Cell cell =
      make_cell("bernoulli-10-0.02 + late( missing=0.50, delay=010..200 )", "ts", 5, 1);
  EXPECT_EQ(cell.problem, "bernoulli-10-0.02+late(delay=10..200,missing=0.5)");
  EXPECT_EQ(cell.problem_spec, "bernoulli(gap=0.02,best=0)+late(delay=10..200,missing=0.5)");
  EXPECT_FALSE(cell.same_as(make_cell("bernoulli-10-0.02", "ts", 5, 1)));
  EXPECT_EQ(canonical_problem(cell.problem_spec), cell.problem_spec);
}

TEST(LateProblem, WithoutDelayEqualsTheProblem) {
  EXPECT_EQ(canonical_problem("bernoulli+late"), "bernoulli");
  EXPECT_EQ(canonical_problem("bernoulli+late(delay=0,missing=0)"), "bernoulli");
  EXPECT_EQ(with_lateness("bernoulli", {}), "bernoulli");
  EXPECT_EQ(with_lateness("wheel", {.delay = {7, 7}}), "wheel+late(delay=7)");
  EXPECT_EQ(lateness_of("anything(at=all)+late(delay=1..2)"), (Lateness{.delay = {1, 2}}));
}

TEST(LateProblem, WrongSpecsAreRefused) {
  const auto refused = [](const std::string& text) {
    try {
      canonical_problem(text);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused("bernoulli+early"), HasSubstr("expected problem or problem+late(...)"));
  EXPECT_THAT(refused("bernoulli+late+late"), HasSubstr("expected problem or problem+late(...)"));
  EXPECT_THAT(refused("bernoulli+late(delay=9..3)"),
              HasSubstr("expected a whole number or a range such as 10..200"));
  EXPECT_THAT(refused("bernoulli+late(delay=-1)"), HasSubstr("delay"));
  EXPECT_THAT(refused("bernoulli+late(missing=2)"), HasSubstr("missing"));
}

// The streams do not depend on lateness, so an agent that learns nothing plays the same trial.
TEST(LateProblem, DoesNotChangeTheProblemsDraws) {
  for (const std::string problem : {"bernoulli", "wheel", "clicks"}) {
    const TrialRecord now = trial_of(problem, "uniform", 500);
    const TrialRecord late = trial_of(problem + "+late(delay=3..90,missing=0.2)", "uniform", 500);
    EXPECT_EQ(now.curve, late.curve) << problem;
    EXPECT_EQ(now.reward, late.reward) << problem;
  }
}

// If no reward arrives, the agent learns nothing.
TEST(LateProblem, WithoutAnyRewardNothingIsLearned) {
  for (const std::string problem : {"linear", "clicks"}) {
    const TrialRecord none = trial_of(problem + "+late(missing=1)", "sau_sampling", 300);
    const TrialRecord never = trial_of(problem + "+late(delay=300)", "sau_sampling", 300);
    EXPECT_EQ(none.curve, never.curve) << problem;
    const TrialRecord once = trial_of(problem + "+late(delay=100)", "sau_sampling", 300);
    EXPECT_NE(none.curve, once.curve) << problem;
    // The first reward arrives at the end of step 101: the choices until then are the same.
    const auto points = curve_points(300);
    for (std::size_t i = 0; i < points.size() && points[i] <= 101; ++i) {
      EXPECT_EQ(none.curve[i], once.curve[i]) << problem << ", step " << points[i];
    }
  }
}

TEST(LateProblem, LateRewardsCostRegret) {
  double at_once = 0.0, late = 0.0, lossy = 0.0;
  for (std::uint64_t trial = 0; trial < 20; ++trial) {
    at_once += trial_of("linear", "sau_ucb", 2000, trial).regret;
    late += trial_of("linear+late(delay=500)", "sau_ucb", 2000, trial).regret;
    lossy += trial_of("linear+late(missing=0.9)", "sau_ucb", 2000, trial).regret;
  }
  EXPECT_GT(late, 2.0 * at_once);
  EXPECT_GT(lossy, 1.5 * at_once);
}

TEST(LateProblem, IsASeparateCellInAFolderAndResumes) {
  const TemporaryFolder place;
  const std::vector<std::string> problems = {"bernoulli-10-0.1", "bernoulli-10-0.1+late(delay=20)",
                                             "bernoulli-10-0.1+late(delay=20,missing=0.1)"};
  run_into(place / "once", experiment_of({"sau_ucb", "ts"}, 200, 6, problems), 2);
  const auto expected = result_files(place / "once");
  EXPECT_EQ(expected.size(), 7U);
  for (const std::uint64_t trials : {2U, 6U}) {
    run_into(place / "resumed", experiment_of({"sau_ucb", "ts"}, 200, trials, problems), 1);
  }
  EXPECT_EQ(result_files(place / "resumed"), expected);
  // The plain cell has the same bytes without the others.
  run_into(place / "plain", experiment_of({"sau_ucb", "ts"}, 200, 6));
  for (const char* name : {test::kUcb, test::kTs}) {
    EXPECT_EQ(result_files(place / "plain").at(name), expected.at(name));
  }
}

TEST(OfferProblemRun, EveryAgentOfTheCatalogueMeetsTheSameOffers) {
  const TemporaryFolder place;
  // All articles are equal, so the reward of a trial depends only on the problem's draws.
  const std::string alike = "clicks(articles=6,offered=3,topics=1,taste=0,appeal=0)";
  run_into(place / "r",
           experiment_of({"hashed_linear", "linear+sau_ucb", "ts", "uniform",
                          "beta_bernoulli+thompson", "linear+lin_ucb"},
                         200, 3, {alike}),
           2);
  const RunResults results = read_results(place / "r", Curves::kSkip);
  ASSERT_EQ(results.cells.size(), 6U);
  for (const CellResults& cell : results.cells) {
    ASSERT_EQ(cell.trials.size(), 3U);
    for (std::size_t trial = 0; trial < 3; ++trial) {
      EXPECT_EQ(cell.trials[trial].reward, results.cells[0].trials[trial].reward);
      EXPECT_EQ(cell.trials[trial].regret, 0.0);
    }
  }
  EXPECT_EQ(results.cells[0].cell.agent_spec, "hashed_linear+sau_sampling");
  EXPECT_EQ(results.cells[2].cell.agent, "TS");
}

TEST(OfferProblemRun, SameBytesForAnyNumberOfThreads) {
  const TemporaryFolder place;
  const Experiment experiment =
      experiment_of({"sau_sampling", "linear+sau_ucb"}, 150, 7, {"clicks", "clicks+late(delay=9)"});
  run_into(place / "1", experiment, 1);
  run_into(place / "3", experiment, 3);
  EXPECT_EQ(result_files(place / "1").size(), 5U);
  EXPECT_EQ(result_files(place / "1"), result_files(place / "3"));
}

TEST(OfferProblemRun, AnAgentLearnsWhichArticlesAreGood) {
  double learner = 0.0, uniform = 0.0;
  for (std::uint64_t trial = 0; trial < 3; ++trial) {
    learner += trial_of("clicks", "hashed_linear+sau_sampling", 4000, trial).regret;
    uniform += trial_of("clicks", "uniform", 4000, trial).regret;
  }
  EXPECT_LT(learner, 0.6 * uniform);
}

TEST(OfferProblemRun, ATrialCanBeTimedInAdvance) {
  EXPECT_GT(measure_trial(make_cell("clicks+late(delay=5)", "sau_ucb", 2000, 1), 1, 0.01), 0.0);
}

TEST(OfferProblemRun, AnAgentThatCannotLearnFromTheRewardsIsRefused) {
  const TemporaryFolder place;
  const std::string file = (place / "x.jsonl").string();
  write_file(file, R"({"actions":[{"id":"a","reward":5},{"id":"b","reward":0}]})"
                   "\n");
  EXPECT_THROW(make_cell("events(file=" + file + ")", "beta_bernoulli+thompson", 0, 1), UsageError);
  const Cell cell = make_cell("events(file=" + file + ")", "greedy", 0, 1);
  EXPECT_EQ(cell.steps, 1U);
  EXPECT_EQ(cell.data.size(), 16U);
}

}  // namespace
}  // namespace sau
