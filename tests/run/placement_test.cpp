// No built-in problem gives an advantage to whoever plays the first action.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/runner.hpp"
#include "sau/stats/summary.hpp"
#include "support/catalogue_types.hpp"
#include "support/example_problems.hpp"

namespace sau {
namespace {

template <class P>
class Placement : public ::testing::Test {
 public:
  std::string spec() { return testing::example_spec<P>(folders_); }

 private:
  testing::DataFolders folders_;
};
TYPED_TEST_SUITE(Placement, testing::AsTestTypes<Problems>::type, testing::ComponentNames);

std::vector<double> regrets(const std::string& problem, const std::string& agent) {
  constexpr std::uint64_t kTrials = 20, kSteps = 200;
  const Cell cell = make_cell(problem, agent, kSteps, kTrials);
  const auto points = curve_points(kSteps);
  std::vector<double> regret;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    TrialRecord record;
    EXPECT_TRUE(run_trial(cell, 1, trial, points, nullptr, record));
    regret.push_back(record.regret);
  }
  return regret;
}

// If the best action were always the first, greedy would have no regret: ties go to the first.
TYPED_TEST(Placement, GreedyIsNotPerfect) {
  EXPECT_GT(summarise(regrets(this->spec(), "greedy")).mean, 0.0);
}

TEST(PlacementOfTheBest, GreedyIsNotPerfectWhereOneActionIsTheBestEverywhere) {
  for (const char* problem : {"bernoulli(actions=2)", "bernoulli(actions=50,gap=0.02)",
                              "bernoulli(rewards=uniform)", "wheel(delta=1)"}) {
    EXPECT_GT(summarise(regrets(problem, "sample_mean+greedy")).mean, 0.0) << problem;
  }
}

// The paper's problems keep their place: greedy finds it by luck.
TEST(PlacementOfTheBest, TheNamesOfThePaperKeepTheirs) {
  for (const char* problem : {"bernoulli-10-0.1", "bernoulli-50-0.1", "uniform-10-0.1"}) {
    EXPECT_EQ(summarise(regrets(problem, "greedy")).p90, 0.0) << problem;
  }
}

// The regret of always playing one action, in units of its standard error above that of the others:
// |z| < 4.5 in all 10 + 5 + 5 comparisons has a chance of 1e-4 to fail.
TEST(PlacementOfTheBest, EveryActionIsAsGoodAsAnyOther) {
  constexpr std::uint64_t kTrials = 1'000;
  for (const char* spec : {"bernoulli", "linear", "wheel"}) {
    const Action actions = make_problem(spec, {})->shape().actions;
    std::vector<std::vector<double>> excess(actions);
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
      const Stream stream = problem_stream(spec, 2, trial);
      const auto problem = make_problem(spec, stream.with(Role::kSetup));
      Rng rng(stream);
      std::vector<double> regret(actions);
      for (int step = 0; step < 20; ++step) {
        problem->next(rng);
        problem->pull(0, rng);
        for (Action a = 0; a < actions; ++a) regret[a] += problem->regret(a);
      }
      const double mean = std::accumulate(regret.begin(), regret.end(), 0.0) / actions;
      for (Action a = 0; a < actions; ++a) excess[a].push_back(regret[a] - mean);
    }
    for (const std::vector<double>& of_action : excess) {
      const Summary summary = summarise(of_action);
      EXPECT_LT(std::abs(summary.mean), 4.5 * summary.sem) << spec;
    }
  }
}

}  // namespace
}  // namespace sau
