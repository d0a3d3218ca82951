#include "sau/model/restarting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/bernoulli_kl.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "sau/model/change_detector.hpp"
#include "support/errors.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;
using testing::error_of;

// The ratio over every split, with all numbers kept.
double naive_ratio(const std::vector<double>& y) {
  double total = 0.0, top = 0.0, sum = 0.0;
  for (const double each : y) total += each;
  const auto n = static_cast<double>(y.size());
  for (std::size_t s = 1; s < y.size(); ++s) {
    sum += y[s - 1];
    const auto first = static_cast<double>(s);
    top = std::max(top, first * bernoulli_kl(sum / first, total / n) +
                            (n - first) * bernoulli_kl((total - sum) / (n - first), total / n));
  }
  return top;
}

// Up to eight numbers have a bucket each, so every split is tried. Later fewer splits are, so the
// ratio is at most the full one, and not much below it after a change.
TEST(ChangeDetector, StatisticIsTheLikelihoodRatio) {
  Rng rng({.seed = 2});
  ChangeDetector detector;
  std::vector<double> y;
  for (int n = 0; n < 3000; ++n) {
    y.push_back(rng.uniform() < (n < 2000 ? 0.7 : 0.4) ? 1.0 : 0.0);
    detector.add(y.back());
    if (n < 8) {
      EXPECT_NEAR(detector.statistic(), naive_ratio(y), 1e-12) << n;
    }
    if (n % 500 != 499) continue;
    EXPECT_LE(detector.statistic(), naive_ratio(y) + 1e-9) << n;
    if (n > 2000) {
      EXPECT_GT(detector.statistic(), 0.9 * naive_ratio(y)) << n;
    }
  }
  EXPECT_EQ(detector.count(), 3000U);
}

// The bound is on the chance that a test ever says so without a change; here over 2000 rewards,
// tested after each.
TEST(ChangeDetector, RarelySeesAChangeWhereThereIsNone) {
  constexpr int kTrials = 200;
  for (const double p : {0.05, 0.5}) {
    int alarms = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
      Rng rng({.seed = 7, .trial = trial});
      ChangeDetector detector;
      bool changed = false;
      for (int n = 0; n < 2000 && !changed; ++n) {
        detector.add(rng.uniform() < p ? 1.0 : 0.0);
        changed = detector.changed(0.1);
      }
      alarms += changed ? 1 : 0;
    }
    EXPECT_LE(alarms, 0.1 * kTrials) << p;
  }
}

TEST(ChangeDetector, SeesAChangeSoon) {
  int latest = 0;
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    Rng rng({.seed = 9, .trial = trial});
    ChangeDetector detector;
    for (int n = 0; n < 1000; ++n) detector.add(rng.uniform() < 0.9 ? 1.0 : 0.0);
    int n = 0;
    while (n < 1000 && !detector.changed(0.01)) {
      detector.add(rng.uniform() < 0.1 ? 1.0 : 0.0);
      ++n;
    }
    latest = std::max(latest, n);
  }
  // kl(0.1, 0.9) is 1.76: the threshold, 16, is reached after about ten rewards.
  EXPECT_LT(latest, 30);
}

TEST(Restarting, ForgetsModelAndStrategyTogether) {
  Agent agent{Restarting(actions(2), {.model = "sample_mean"}), SauUcb(actions(2))};
  Rng rng({.seed = 1, .role = Role::kAgent});
  int n = 0;
  for (; n < 500; ++n) {
    const Choice made = agent.choose({}, rng);
    agent.learn({}, made, made.action == 0 ? 1.0 : 0.0);
  }
  EXPECT_EQ(agent.model().restarts(), 0U);
  EXPECT_EQ(agent.values({})[0], 1.0);
  while (agent.model().restarts() == 0 && n++ < 600) {
    agent.learn({}, agent.choose({}, rng), 0.0);
  }
  EXPECT_EQ(agent.model().restarts(), 1U);
  EXPECT_EQ(agent.values({})[0], 0.0);
  EXPECT_EQ(agent.explorer().steps(), 0U);
  EXPECT_EQ(agent.explorer().evidence().unplayed(), 2U);
  EXPECT_EQ(agent.choose({}, rng).action, 0U) << "it opens again";
  EXPECT_EQ(agent.choose({}, rng).action, 1U);
}

// Contexts decide the reward, so rewards vary but residuals have no mean to lose until the world
// changes.
TEST(Restarting, TestsResidualsIfThereAreContexts) {
  Restarting model(testing::setup_of(1, 2), {.model = "linear"});
  Rng rng({.seed = 3});
  const auto step = [&](double slope) {
    const double x[] = {1.0, rng.uniform()};
    model.update(x, 0, std::clamp(0.5 + slope * (x[1] - 0.5) + 0.05 * rng.normal(), 0.0, 1.0));
  };
  for (int n = 0; n < 1500; ++n) step(0.8);
  EXPECT_EQ(model.restarts(), 0U);
  for (int n = 0; n < 1500; ++n) {
    const double x[] = {1.0, rng.uniform()};
    model.update(x, 0, std::clamp(0.1 + 0.1 * x[1], 0.0, 1.0));
  }
  EXPECT_GE(model.restarts(), 1U);
}

TEST(Restarting, NeedsAModelThatLearnsFromEveryReward) {
  const char* spec = "restarting(model=beta_bernoulli)+greedy";
  const std::string why =
      "restarting: beta_bernoulli does not learn from every reward; expected a model that does";
  EXPECT_EQ(error_of<UsageError>([&] { make_agent(spec, actions(2)); }), why);
  EXPECT_EQ(error_of<UsageError>([&] { make_offer_agent(spec, 1); }), why);
}

}  // namespace
}  // namespace sau
