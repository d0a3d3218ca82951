#include "sau/run/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "run/run_support.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using test::experiment_of;
using test::result_files;
using test::run_into;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(Runner, SameBytesForOneTwoAndSevenThreads) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts", "sau_sampling"}, 300, 23,
                                              {"bernoulli-10-0.1", "bernoulli(actions=3)"});
  run_into(place / "1", experiment, 1);
  run_into(place / "2", experiment, 2);
  run_into(place / "7", experiment, 7);
  const auto expected = result_files(place / "1");
  EXPECT_EQ(expected.size(), 7U);  // run.json and six cells
  EXPECT_EQ(result_files(place / "2"), expected);
  EXPECT_EQ(result_files(place / "7"), expected);
}

TEST(Runner, MoreThreadsThanTrials) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb"}, 50, 2);
  const RunOutcome outcome = run_into(place / "many", experiment, 16);
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.threads, 16U);
  EXPECT_EQ(outcome.new_trials, 2U);
}

TEST(Runner, ZeroThreadsMeansOnePerCore) {
  const TemporaryFolder place;
  const RunOutcome outcome = run_into(place / "r", experiment_of({"ucb1"}, 20, 2), 0);
  EXPECT_EQ(outcome.threads, std::max(1U, std::thread::hardware_concurrency()));
  EXPECT_TRUE(outcome.complete);
}

TEST(Runner, StoppedBeforeItStartedLeavesAValidFolder) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts"}, 200, 3);
  const std::atomic<bool> stop = true;
  const RunOutcome outcome = run_into(place / "stopped", experiment, 2, &stop);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.new_trials, 0U);
  EXPECT_EQ(read_results(place / "stopped", Curves::kRead).cells.size(), 2U);
  EXPECT_TRUE(run_into(place / "stopped", experiment).complete);
  run_into(place / "whole", experiment);
  EXPECT_EQ(result_files(place / "stopped"), result_files(place / "whole"));
}

// The number of rows on disk while a run goes on.
std::size_t rows_now(const test::fs::path& folder) {
  std::size_t rows = 0;
  std::error_code ignored;
  for (const auto& entry : test::fs::directory_iterator(folder / "cells", ignored)) {
    const std::string text = read_file(entry.path());
    rows += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  return rows;
}

TEST(Runner, StoppedAtSeveralMomentsAndResumedEqualsUninterrupted) {
  const TemporaryFolder place;
  // Long enough that the watcher gets its turn on a busy machine; sanitizers make it longer still.
  const Experiment experiment =
      experiment_of({"sau_ucb", "ts", "ucb1"}, testing::repeats(20'000), 60);
  run_into(place / "whole", experiment, 2);
  const auto expected = result_files(place / "whole");
  int stops = 0;
  for (const unsigned threads : {1U, 2U, 7U}) {
    const auto folder = place / ("stopped" + std::to_string(threads));
    for (const std::size_t rows : {1U, 20U, 60U, 110U}) {
      std::atomic<bool> stop = false, over = false;
      std::jthread watcher([&] {
        while (!over && rows_now(folder) < rows) std::this_thread::yield();
        stop = true;
      });
      const RunOutcome outcome = run_into(folder, experiment, threads, &stop);
      over = true;
      stops += outcome.complete ? 0 : 1;
      // What was written is the beginning of the complete file.
      for (const auto& [name, bytes] : result_files(folder)) {
        EXPECT_TRUE(expected.at(name).starts_with(bytes)) << name;
      }
    }
    EXPECT_TRUE(run_into(folder, experiment, threads).complete);
    EXPECT_EQ(result_files(folder), expected) << threads << " threads";
  }
  EXPECT_GT(stops, 0) << "no stop came before the end of the run";
}

TEST(Runner, TheSameRequestAgainRunsNothing) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts"}, 100, 5);
  EXPECT_EQ(run_into(place / "r", experiment).new_trials, 10U);
  const auto before = result_files(place / "r");
  const RunOutcome again = run_into(place / "r", experiment);
  EXPECT_EQ(again.new_trials, 0U);
  EXPECT_TRUE(again.complete);
  EXPECT_EQ(result_files(place / "r"), before);
}

TEST(Runner, AddingACellChangesNoOtherCell) {
  const TemporaryFolder place;
  run_into(place / "alone", experiment_of({"sau_sampling"}, 200, 6));
  run_into(place / "more", experiment_of({"ts", "sau_sampling", "ucb1"}, 200, 6), 3);
  const std::string name = "cells/bernoulli-10-0.1--SAU-Sampling.csv";
  EXPECT_EQ(result_files(place / "alone").at(name), result_files(place / "more").at(name));
}

TEST(Runner, AllAgentsOfAProblemGetTheSameDraws) {
  // All actions pay the same, so the reward of a trial depends only on the problem's draws.
  const TemporaryFolder place;
  run_into(place / "r",
           experiment_of({"sau_ucb", "ts", "uniform", "greedy"}, 400, 8, {"bernoulli(gap=0)"}));
  const RunResults results = read_results(place / "r", Curves::kSkip);
  ASSERT_EQ(results.cells.size(), 4U);
  std::set<double> seen;
  for (std::size_t trial = 0; trial < 8; ++trial) {
    const double reward = results.cells[0].trials[trial].reward;
    for (const CellResults& cell : results.cells) {
      EXPECT_EQ(cell.trials[trial].reward, reward) << cell.cell.agent << ", trial " << trial;
    }
    seen.insert(reward);
  }
  EXPECT_GT(seen.size(), 1U) << "every trial got the same draws";
}

TEST(Runner, AnotherSeedGivesOtherNumbers) {
  const TemporaryFolder place;
  Experiment experiment = experiment_of({"sau_ucb"}, 200, 3);
  run_into(place / "one", experiment);
  experiment.seed = 2;
  run_into(place / "two", experiment);
  EXPECT_NE(result_files(place / "one"), result_files(place / "two"));
}

TEST(Runner, ATrialIsAPureFunctionOfItsNames) {
  const Cell cell = make_cell("bernoulli", "sau_sampling", 500, 1);
  const auto points = curve_points(cell.steps);
  TrialRecord first, again, other;
  EXPECT_TRUE(run_trial(cell, 3, 17, points, nullptr, first));
  EXPECT_TRUE(run_trial(cell, 3, 18, points, nullptr, other));
  EXPECT_TRUE(run_trial(cell, 3, 17, points, nullptr, again));
  EXPECT_EQ(first.regret, again.regret);
  EXPECT_EQ(first.reward, again.reward);
  EXPECT_EQ(first.curve, again.curve);
  EXPECT_EQ(first.curve.back(), first.regret);
  EXPECT_NE(first.curve, other.curve);
}

TEST(Runner, ATrialGetsTheIndexOfItsCell) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts", "ucb1"}, 50, 5);
  ResultFolder folder(place / "r", experiment);
  std::atomic<int> right = 0;
  RunOptions options{.threads = 3};
  options.trial = [&](std::size_t index, const Cell& cell, std::uint64_t seed, std::uint64_t trial,
                      std::span<const std::uint64_t> points, const TrialControl& control,
                      TrialRecord& record) {
    if (index < experiment.cells.size() && cell.same_as(experiment.cells[index])) ++right;
    return run_trial(cell, seed, trial, points, control, record);
  };
  EXPECT_TRUE(run(experiment, folder, options).complete);
  EXPECT_EQ(right, 15);
}

TEST(Runner, ProgressCountsTheStepsOfTrialsBeingPlayed) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb"}, 100, 2);
  ResultFolder folder(place / "r", experiment);
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Progress> seen;
  RunOptions options{.threads = 1};
  options.progress = [&](const Progress& progress) {
    const std::lock_guard lock(mutex);
    seen.push_back(progress);
    changed.notify_all();
  };
  options.trial = [&](std::size_t, const Cell& cell, std::uint64_t seed, std::uint64_t trial,
                      std::span<const std::uint64_t> points, const TrialControl& control,
                      TrialRecord& record) {
    if (trial == 1) {  // half-way until somebody has seen it
      control.steps->store(50);
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !seen.empty() && seen.back().steps_done == 150.0; });
    }
    return run_trial(cell, seed, trial, points, control, record);
  };
  EXPECT_TRUE(run(experiment, folder, options).complete);
  const auto half = std::ranges::find(seen, 150.0, &Progress::steps_done);
  ASSERT_NE(half, seen.end());
  EXPECT_EQ(half->trials_done, 1U);
  EXPECT_DOUBLE_EQ(half->share, 0.75);
  EXPECT_EQ(seen.back().steps_done, 200.0);
  EXPECT_EQ(seen.back().share, 1.0);
}

TEST(Runner, AFailingCellIsReportedAndTheOthersFinish) {
  const TemporaryFolder place;
  Experiment experiment = experiment_of({"sau_ucb", "ts"}, 200, 40);
  Cell broken = experiment.cells[0];
  broken.agent = "Broken";
  broken.agent_spec = "sample_mean+no_such_strategy";
  experiment.cells.insert(experiment.cells.begin() + 1, broken);
  for (const unsigned threads : {1U, 7U}) {
    const auto folder = place / ("r" + std::to_string(threads));
    const RunOutcome outcome = run_into(folder, experiment, threads);
    EXPECT_FALSE(outcome.complete);
    EXPECT_EQ(outcome.new_trials, 80U);
    ASSERT_EQ(outcome.failures.size(), 1U);
    EXPECT_THAT(outcome.failures[0], HasSubstr("Broken"));
    EXPECT_THAT(outcome.failures[0], HasSubstr("bernoulli-10-0.1"));
    EXPECT_THAT(outcome.failures[0], HasSubstr("no_such_strategy"));
    EXPECT_THAT(outcome.failures[0], ::testing::Not(HasSubstr("\n")));
    const RunResults results = read_results(folder, Curves::kRead);
    ASSERT_EQ(results.cells.size(), 3U);
    EXPECT_EQ(results.cells[0].trials.size(), 40U);
    EXPECT_EQ(results.cells[1].trials.size(), 0U);
    EXPECT_EQ(results.cells[2].trials.size(), 40U);
  }
}

TEST(Runner, WhateverAWorkerThrowsEndsTheRunAndIsThrownAgain) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb"}, 50, 8);
  for (const unsigned threads : {1U, 3U}) {
    ResultFolder folder(place / std::to_string(threads), experiment);
    RunOptions options{.threads = threads};
    options.trial = [&](std::size_t, const Cell& cell, std::uint64_t seed, std::uint64_t trial,
                        std::span<const std::uint64_t> points, const TrialControl& control,
                        TrialRecord& record) {
      if (trial == 2) throw 42;  // no std::exception, so it is not the failure of a cell
      return run_trial(cell, seed, trial, points, control, record);
    };
    EXPECT_THROW(run(experiment, folder, options), int);
  }
}

TEST(Runner, NothingIsWrittenAfterAnError) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb"}, 50, 8);
  run_into(place / "whole", experiment);
  const auto path = place / "r";
  {
    ResultFolder folder(path, experiment);
    test::fs::create_directory(path / "timing.csv");  // so only its row cannot be written
    RunOptions options{.threads = 2};
    std::atomic<bool> second = false;
    options.trial = [&](std::size_t, const Cell& cell, std::uint64_t seed, std::uint64_t trial,
                        std::span<const std::uint64_t> points, const TrialControl& control,
                        TrialRecord& record) {
      // Both are played at once, and the second is over when the first is in the file: a header and
      // a row.
      if (trial == 1) second = true;
      while (trial == 0 && !second) std::this_thread::yield();
      while (trial == 1 && rows_now(path) < 2) std::this_thread::yield();
      return run_trial(cell, seed, trial, points, control, record);
    };
    EXPECT_THROW(run(experiment, folder, options), Error);
  }
  EXPECT_EQ(rows_now(path), 2U);
  test::fs::remove(path / "timing.csv");
  EXPECT_TRUE(run_into(path, experiment).complete);
  EXPECT_EQ(result_files(path), result_files(place / "whole"));
}

TEST(Runner, ACellGivenTwiceIsRunOnce) {
  const TemporaryFolder place;
  const Experiment once = experiment_of({"sau_ucb"}, 20'000, 12);
  Experiment twice = once;
  twice.cells.push_back(once.cells[0]);
  run_into(place / "once", once);
  for (int i = 0; i < 8; ++i) {  // whether two threads meet in one cell is a matter of chance
    const auto folder = place / ("twice" + std::to_string(i));
    EXPECT_EQ(run_into(folder, twice, 7).new_trials, 12U);
    ASSERT_EQ(result_files(folder).size(), 2U);
    EXPECT_TRUE(result_files(folder) == result_files(place / "once")) << "the bytes differ";
  }
}

TEST(Runner, ProgressEndsAtTheTotal) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts"}, 100, 5);
  Progress last;
  run_into(place / "r", experiment, 2, nullptr, [&](const Progress& progress) { last = progress; });
  EXPECT_EQ(last.trials_total, 10U);
  EXPECT_EQ(last.trials_done, 10U);
  EXPECT_EQ(last.steps_done, 1000.0);
  EXPECT_EQ(last.steps_total, 1000.0);
}

TEST(Runner, ProgressCountsOnlyWhatWasMissing) {
  const TemporaryFolder place;
  run_into(place / "r", experiment_of({"sau_ucb"}, 100, 4));
  Progress last;
  run_into(place / "r", experiment_of({"sau_ucb"}, 100, 7), 1, nullptr,
           [&](const Progress& progress) { last = progress; });
  EXPECT_EQ(last.trials_total, 3U);
  EXPECT_EQ(last.trials_done, 3U);
}

}  // namespace
}  // namespace sau
