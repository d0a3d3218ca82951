#include "sau/run/plan.hpp"

#include <gtest/gtest.h>

#include "run/run_support.hpp"

namespace sau {
namespace {

TEST(Plan, ForANewFolderTimesTheCellsAndWritesNothing) {
  const test::TemporaryFolder folder;
  const Experiment experiment = test::experiment_of({"ts", "ucb1"}, 1000, 4);
  const Plan plan = make_plan(experiment, folder / "new", 1, 0.001);
  ASSERT_EQ(plan.cells.size(), 2U);
  for (const CellPlan& cell : plan.cells) {
    EXPECT_EQ(cell.missing(), 4U);
    EXPECT_FALSE(cell.timed);
    EXPECT_GT(cell.seconds, 0.0);
  }
  EXPECT_DOUBLE_EQ(plan.processor_seconds(), 4.0 * (plan.cells[0].seconds + plan.cells[1].seconds));
  EXPECT_DOUBLE_EQ(plan.wall_seconds(), plan.processor_seconds());
  EXPECT_FALSE(test::fs::exists(folder / "new"));
}

TEST(Plan, UsesTheTimesInTheFolder) {
  const test::TemporaryFolder folder;
  const auto path = folder / "r";
  test::run_into(path, test::experiment_of({"ts"}, 1000, 3));
  const auto before = test::all_files(path);
  const Plan plan = make_plan(test::experiment_of({"ts"}, 1000, 5), path, 1);
  ASSERT_EQ(plan.cells.size(), 1U);
  EXPECT_TRUE(plan.cells[0].timed);
  EXPECT_EQ(plan.cells[0].present, 3U);
  EXPECT_EQ(plan.cells[0].missing(), 2U);
  EXPECT_EQ(plan.cells[0].seconds, read_results(path, Curves::kSkip).cells[0].seconds);
  EXPECT_EQ(make_plan(test::experiment_of({"ts"}, 1000, 2), path, 1).wall_seconds(), 0.0);
  EXPECT_EQ(test::all_files(path), before);
}

TEST(MeasureTrial, ALongTrialIsNotPlayedToItsEnd) {
  // A million million steps take days.
  const Cell cell = make_cell("bernoulli", "ucb1", 1'000'000'000'000, 1);
  EXPECT_GT(measure_trial(cell, 1, 0.001), 1000.0);
}

// Steps are much more expensive once the network trains, which is after the first rewards came.
TEST(MeasureTrial, WaitsForLateRewards) {
  const auto measured = [](const char* problem) {
    return measure_trial(make_cell(problem, "mlp(hidden=8,updates=50)+sau_sampling", 20'000, 1), 1,
                         0.0);
  };
  const double prompt = measured("wheel");
  EXPECT_GT(measured("wheel+late(delay=3000)"), 0.5 * prompt);
  EXPECT_GT(measured("wheel+late(delay=10..500)"), 0.5 * prompt);
}

}  // namespace
}  // namespace sau
