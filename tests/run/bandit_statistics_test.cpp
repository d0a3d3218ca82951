// Regret on ten Bernoulli actions with gap 0.1 and 100,000 steps (Zhu & Rigotti 2021, appendix
// A.3). Bands measured on 2026-11-15 with seed 99, 2,000 trials per agent:
//                  median   10-90 %      mean +- sem     max    se of the median of 200
//     SAU-UCB       211.5   156-275      247 +- 10.9    9999    4.2
//     SAU-Sampling  246.5   191-311      268 +- 8.5     9999    4.2
//     TS            247.1   194-311      252 +- 1.5     1782    3.9
//     UCB1         1515.6  1374-1669    1521 +- 2.5     1947    9.1
// A few trials that lose the best action dominate the means of SAU-UCB and SAU-Sampling: of 2,000,
// 3 (SAU-UCB) and 2 (SAU-Sampling) played wrong actions through the whole last tenth. So the tests
// use the median and the number of lost trials. Seeds differ from those of the measurement.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sau/agent/recorder.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/stats/summary.hpp"

namespace sau {
namespace {

constexpr std::uint64_t kTrials = 200;
constexpr std::uint64_t kSteps = 100'000;
constexpr std::uint64_t kSeed = 7;

struct Cell {
  Summary regret;
  int lost = 0;   // trials with regret in at least half of the last tenth of the steps
  int stuck = 0;  // as the recorder counts them
};

Cell measure(const std::string& agent_text) {
  const std::string problem_spec = canonical_problem("bernoulli-10-0.1");
  const std::string agent_spec = canonical_agent(agent_text);
  const auto points = curve_points(kSteps);
  const auto tail = std::find(points.begin(), points.end(), kSteps / 10 * 9) - points.begin();
  Cell cell;
  std::vector<double> regrets;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    const Stream problem_name = problem_stream(problem_spec, kSeed, trial);
    const Stream agent_name = agent_stream(problem_spec, agent_spec, kSeed, trial);
    const auto problem = make_problem(problem_spec, problem_name);
    const auto agent = make_agent(agent_spec, {problem->shape(), agent_name});
    Streams rng{Rng(problem_name), Rng(agent_name)};
    Recorder recorder(problem->shape().actions, kSteps, points);
    agent->play(*problem, rng, kSteps, recorder);
    const TrialRecord record = recorder.record();
    regrets.push_back(record.regret);
    const double late = record.regret - record.curve[static_cast<std::size_t>(tail)];
    cell.lost += late >= 0.5 * 0.1 * static_cast<double>(kSteps / 10) ? 1 : 0;
    cell.stuck += record.stuck ? 1 : 0;
  }
  cell.regret = summarise(regrets);
  return cell;
}

// Each agent is measured once for all tests of this program.
const Cell& cell_of(const std::string& agent) {
  static std::map<std::string, Cell> cells;
  const auto found = cells.find(agent);
  return found != cells.end() ? found->second : cells.emplace(agent, measure(agent)).first->second;
}

// 211.5 +- three standard errors of a median of 200.
TEST(BanditStatistics, SauUcbMedianRegret) {
  EXPECT_NEAR(cell_of("SAU-UCB").regret.median, 211.5, 3.0 * 4.2);
}

TEST(BanditStatistics, SauSamplingMedianRegret) {
  EXPECT_NEAR(cell_of("SAU-Sampling").regret.median, 246.5, 3.0 * 4.2);
}

TEST(BanditStatistics, ThompsonMedianRegret) {
  EXPECT_NEAR(cell_of("TS").regret.median, 247.1, 3.0 * 3.9);
}

// The specification's own check gives a mean of 1525; 3 standard errors of a mean of 200 are 24.
TEST(BanditStatistics, Ucb1IsNear1525) {
  EXPECT_NEAR(cell_of("UCB1").regret.median, 1515.6, 3.0 * 9.1);
  EXPECT_NEAR(cell_of("UCB1").regret.mean, 1520.6, 3.0 * 7.9);
}

TEST(BanditStatistics, SauUcbIsFarBelowUcb1) {
  EXPECT_LE(3.0 * cell_of("SAU-UCB").regret.median, cell_of("UCB1").regret.median);
}

TEST(BanditStatistics, SauSamplingIsAsGoodAsThompson) {
  const Summary& sau = cell_of("SAU-Sampling").regret;
  const Summary& thompson = cell_of("TS").regret;
  EXPECT_NEAR(sau.mean, thompson.mean, 3.0 * std::hypot(sau.sem, thompson.sem));
}

// Three in 2,000, so 0.3 in 200 with a standard deviation of 0.55: at most 1.9 within three.
TEST(BanditStatistics, FewTrialsLoseTheBestAction) {
  for (const char* agent : {"SAU-UCB", "SAU-Sampling"}) {
    EXPECT_LE(cell_of(agent).lost, 1) << agent;
    EXPECT_LE(cell_of(agent).stuck, cell_of(agent).lost) << agent;
  }
}

}  // namespace
}  // namespace sau
