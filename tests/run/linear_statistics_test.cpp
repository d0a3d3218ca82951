// The 28 cells of figure 1 and appendix B against an independent naive implementation, and the
// order that the paper claims. Seeds are fixed, so a test always passes or always fails. The sizes,
// and the band of three combined standard errors of the means, were fixed before the first run.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "run/naive_linear.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/runner.hpp"
#include "sau/stats/summary.hpp"

namespace sau {
namespace {

using testing::NaiveAgent;
using testing::NaiveSetting;
using testing::NaiveTrial;

constexpr std::uint64_t kSeed = 1;
constexpr unsigned kNaiveTrials = 12;
constexpr std::uint64_t kOurTrials = 40;
constexpr int kSteps = 20'000;

struct NamedAgent {
  NaiveAgent naive;
  const char* alias;
};
constexpr NamedAgent kAgents[] = {{NaiveAgent::kSauUcb, "SAU-UCB"},
                                  {NaiveAgent::kSauSampling, "SAU-Sampling"},
                                  {NaiveAgent::kThompson, "TS"},
                                  {NaiveAgent::kThompsonDiagonal, "TSdiag"}};

Summary ours(const std::string& problem, const char* agent) {
  const Cell cell = make_cell(problem, agent, kSteps, kOurTrials);
  const auto points = curve_points(kSteps);
  std::vector<double> regret;
  for (std::uint64_t trial = 0; trial < kOurTrials; ++trial) {
    TrialRecord record;
    EXPECT_TRUE(run_trial(cell, kSeed, trial, points, nullptr, record));
    regret.push_back(record.regret);
  }
  return summarise(regret);
}

Summary naive(const NaiveSetting& setting, NaiveAgent agent) {
  std::vector<double> regret;
  for (unsigned trial = 0; trial < kNaiveTrials; ++trial) {
    regret.push_back(NaiveTrial(setting, agent, 100 + trial).run(kSteps));
  }
  return summarise(regret);
}

class LinearStatistics : public ::testing::TestWithParam<NaiveSetting> {};

TEST_P(LinearStatistics, RegretMatchesTheNaiveImplementationAndThePapersOrder) {
  const NaiveSetting& setting = GetParam();
  std::vector<Summary> summaries;
  for (const auto& [kind, alias] : kAgents) {
    const Summary mine = summaries.emplace_back(ours(setting.name, alias));
    const Summary theirs = naive(setting, kind);
    const double error = std::hypot(mine.sem, theirs.sem);
    EXPECT_NEAR(mine.mean, theirs.mean, 3.0 * error)
        << alias << ": ours " << mine.mean << " +- " << mine.sem << ", naive " << theirs.mean
        << " +- " << theirs.sem;
    RecordProperty(std::string(alias) + "_ours", std::to_string(mine.mean));
    RecordProperty(std::string(alias) + "_naive", std::to_string(theirs.mean));
  }
  EXPECT_LT(summaries[0].mean, summaries[2].mean) << "SAU-UCB below TS";
  if (setting.name == "linear-5-5" || setting.name == "linear-5-40") {
    EXPECT_LT(summaries[1].mean, summaries[2].mean) << "SAU-Sampling below TS";
  }
}

INSTANTIATE_TEST_SUITE_P(Paper, LinearStatistics,
                         ::testing::Values(NaiveSetting{"linear-5-5", 5, 5, ""},
                                           NaiveSetting{"linear-20-5", 20, 5, ""},
                                           NaiveSetting{"linear-5-40", 5, 40, ""},
                                           NaiveSetting{"linear-gaussian-theta", 5, 5, "theta"},
                                           NaiveSetting{"linear-ar1-noise", 5, 5, "noise"},
                                           NaiveSetting{"linear-ar1-context", 5, 5, "context"},
                                           NaiveSetting{"linear-t2-context", 5, 5, "student"}),
                         [](const auto& setting) {
                           std::string name = setting.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace sau
