#include "sau/agent/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/explore/greedy.hpp"
#include "sau/model/sample_mean.hpp"
#include "sau/problem/bernoulli.hpp"

namespace sau {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(CurvePoints, AscendUpToTheHorizon) {
  std::vector<std::uint64_t> horizons = {1,
                                         2,
                                         7,
                                         99,
                                         100,
                                         101,
                                         250,
                                         777,
                                         1000,
                                         3713,
                                         43'500,
                                         100'000,
                                         581'012,
                                         std::uint64_t{1} << 53,
                                         std::uint64_t{1} << 63,
                                         ~std::uint64_t{0}};
  for (const std::uint64_t steps : horizons) {
    const auto points = curve_points(steps);
    ASSERT_FALSE(points.empty());
    EXPECT_EQ(points.back(), steps);
    EXPECT_GE(points.front(), 1U);
    for (std::size_t i = 1; i < points.size(); ++i) {
      ASSERT_LT(points[i - 1], points[i]) << "horizon " << steps;
    }
    EXPECT_LE(points.size(), 170U);
  }
}

TEST(CurvePoints, AShortTrialKeepsEveryStep) {
  EXPECT_THAT(curve_points(1), ElementsAre(1));
  EXPECT_THAT(curve_points(2), ElementsAre(1, 2));
  EXPECT_THAT(curve_points(7), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(curve_points(100).size(), 100U);
}

TEST(CurvePoints, IncludeEveryHundredth) {
  const auto points = curve_points(100'000);
  for (std::uint64_t i = 1; i <= 100; ++i) EXPECT_THAT(points, Contains(1000 * i));
}

TEST(CurvePoints, IncludeOneTwoFiveOfEveryDecade) {
  for (const std::uint64_t steps : {777ULL, 100'000ULL, 43'500ULL, 581'012ULL, 3713ULL}) {
    const auto points = curve_points(steps);
    for (std::uint64_t decade = 1; decade <= steps; decade *= 10) {
      for (const std::uint64_t factor : {1U, 2U, 5U}) {
        if (decade * factor <= steps) {
          EXPECT_TRUE(std::binary_search(points.begin(), points.end(), decade * factor))
              << decade * factor << " of " << steps;
        }
      }
    }
  }
}

TEST(Recorder, AddsUpRewardAndRegret) {
  const auto points = curve_points(3);
  Recorder recorder(2, 3, points);
  EXPECT_TRUE(recorder.step(0, 1.0, 0.0));
  EXPECT_TRUE(recorder.step(1, -2.0, 0.5));
  EXPECT_FALSE(recorder.complete());
  EXPECT_TRUE(recorder.step(1, 0.25, 0.5));
  EXPECT_TRUE(recorder.complete());
  EXPECT_EQ(recorder.steps_played(), 3U);
  const TrialRecord record = recorder.record();
  EXPECT_EQ(record.reward, -0.75);
  EXPECT_EQ(record.regret, 1.0);
  EXPECT_THAT(record.curve, ElementsAre(0.0, 0.5, 1.0));
}

TEST(Recorder, TheCurveIsTheRegretAtItsPoints) {
  const std::vector<std::uint64_t> points = {2, 5, 6};
  Recorder recorder(1, 6, points);
  for (int n = 1; n <= 6; ++n) recorder.step(0, 0.0, static_cast<double>(n));
  EXPECT_THAT(recorder.record().curve, ElementsAre(3.0, 15.0, 21.0));  // 1+2, 1+...+5, 1+...+6
}

// A trial of 1000 steps whose last 100 are given: action and whether it has regret.
bool stuck(const std::vector<std::pair<Action, bool>>& tail) {
  const auto points = curve_points(1000);
  Recorder recorder(3, 1000, points);
  for (int n = 0; n < 900; ++n) recorder.step(2, 0.0, 1.0);  // earlier steps do not count
  for (const auto& [action, wrong] : tail) recorder.step(action, 0.0, wrong ? 0.1 : 0.0);
  return recorder.record().stuck;
}

std::vector<std::pair<Action, bool>> tail_of(int plays, int wrong) {
  std::vector<std::pair<Action, bool>> tail;
  for (int n = 0; n < 100; ++n) {
    tail.emplace_back(n < plays ? 1U : 0U, n < wrong);
  }
  return tail;
}

TEST(Stuck, OneWrongActionInTheLastTenthIsStuck) { EXPECT_TRUE(stuck(tail_of(100, 100))); }

TEST(Stuck, OneRightActionIsNotStuck) { EXPECT_FALSE(stuck(tail_of(100, 0))); }

// 48 plays are wrong: at least half of the action's 95, but enough are right overall.
TEST(Stuck, NeedsOneActionWith95PercentOfThePlays) {
  EXPECT_TRUE(stuck(tail_of(95, 48)));
  EXPECT_FALSE(stuck(tail_of(94, 48)));
}

TEST(Stuck, NeedsRegretInHalfOfItsPlays) {
  EXPECT_TRUE(stuck(tail_of(100, 50)));
  EXPECT_FALSE(stuck(tail_of(100, 49)));
}

// With three actions a uniform choice is right a third of the time; half of that is 16.7 of 100.
TEST(Stuck, FewerThanHalfTheRightPlaysOfAUniformChoiceIsStuck) {
  const auto wandering = [](Action right) {
    std::vector<std::pair<Action, bool>> tail;
    for (Action n = 0; n < 100; ++n) tail.emplace_back(n % 3, n >= right);
    return tail;
  };
  EXPECT_TRUE(stuck(wandering(0)));
  EXPECT_TRUE(stuck(wandering(16)));
  EXPECT_FALSE(stuck(wandering(17)));
}

// 20 plays among 10 actions: a uniform choice makes none without regret in 12 % of the trials.
TEST(Stuck, BadLuckInAShortTrialIsNotStuck) {
  const auto no_right_play = [](std::uint64_t steps) {
    const auto points = curve_points(steps);
    Recorder recorder(10, steps, points);
    for (std::uint64_t n = 0; n < steps; ++n) recorder.step(static_cast<Action>(n % 9), 0.0, 0.1);
    return recorder.record().stuck;
  };
  EXPECT_FALSE(no_right_play(200));
  EXPECT_FALSE(no_right_play(690)) << "exp(-6.9) is 0.00101";
  EXPECT_TRUE(no_right_play(700)) << "exp(-7) is 0.00091";
  EXPECT_TRUE(no_right_play(100'000));
}

TEST(Stuck, NeedsAtLeastTenPlays) {
  for (const std::uint64_t steps : {1U, 90U, 91U}) {
    const auto points = curve_points(steps);
    Recorder recorder(2, steps, points);
    for (std::uint64_t n = 0; n < steps; ++n) recorder.step(1, 0.0, 0.3);
    EXPECT_EQ(recorder.record().stuck, steps > 90) << steps;  // a tenth of 91, rounded up, is 10
  }
}

// A trial of 1000 steps where actions come and go. The last 100 are given: how many actions were on
// offer, and whether the chosen one has regret. Every step has a new id.
bool stuck_by_ids(const std::vector<std::pair<std::size_t, bool>>& tail) {
  const auto points = curve_points(1000);
  Recorder recorder(0, 1000, points);
  for (int n = 0; n < 900; ++n) recorder.step("old", 2, 0.0, 1.0);
  int n = 0;
  for (const auto& [offered, wrong] : tail) {
    recorder.step("a" + std::to_string(n++), offered, 0.0, wrong ? 0.1 : 0.0);
  }
  return recorder.record().stuck;
}

// 50 steps with 2 actions and 50 with 5: a uniform choice is right 35 times; half of that is 17.5.
TEST(Stuck, ByIdAUniformChoiceIsRightOnceInTheActionsOnOffer) {
  const auto tail = [](std::size_t right) {
    std::vector<std::pair<std::size_t, bool>> steps;
    for (std::size_t n = 0; n < 100; ++n) steps.emplace_back(n % 2 == 0 ? 2U : 5U, n >= right);
    return steps;
  };
  EXPECT_TRUE(stuck_by_ids(tail(17)));
  EXPECT_FALSE(stuck_by_ids(tail(18)));
}

TEST(Stuck, ByIdActionsAreDistinguishedByTheirIds) {
  const auto points = curve_points(1000);
  for (const int same : {94, 95}) {
    Recorder recorder(0, 1000, points);
    for (int n = 0; n < 900; ++n) recorder.step("a", 10, 0.0, 0.0);
    for (int n = 0; n < 100; ++n) recorder.step(n < same ? "a" : "b", 10, 0.0, n % 2 == 0 ? 1 : 0);
    EXPECT_EQ(recorder.record().stuck, same == 95) << same;
  }
}

TEST(Stuck, ATrialThatWasNotPlayedIsNotStuck) {
  const auto points = curve_points(1000);
  const Recorder recorder(2, 1000, points);
  EXPECT_FALSE(recorder.record().stuck);
}

TEST(Recorder, TheStopFlagEndsTheTrialAtTheNextPoint) {
  const std::vector<std::uint64_t> points = {2, 4, 6};
  std::atomic<bool> stop{false};
  Recorder recorder(1, 6, points, &stop);
  EXPECT_TRUE(recorder.step(0, 0.0, 0.0));
  EXPECT_TRUE(recorder.step(0, 0.0, 0.0));  // a point, but no stop was requested
  stop = true;
  EXPECT_TRUE(recorder.step(0, 0.0, 0.0));  // not a point
  EXPECT_FALSE(recorder.step(0, 0.0, 0.0));
  EXPECT_FALSE(recorder.complete());
  EXPECT_EQ(recorder.steps_played(), 4U);
}

TEST(Play, EndsWhenTheRecorderSaysSo) {
  const std::atomic<bool> stop{true};
  const auto points = curve_points(1000);
  Bernoulli problem({});
  const Shape shape = problem.shape();
  Agent agent{SampleMean{{shape, {}}}, Greedy{{shape, {}}}};
  Streams rng{Rng({.seed = 1}), Rng({.seed = 1, .role = Role::kAgent})};
  Recorder recorder(shape.actions, 1000, points, &stop);
  play(problem, agent, rng, 1000, recorder);
  EXPECT_EQ(recorder.steps_played(), 1U);
}

TEST(Play, PlaysEveryStep) {
  const auto points = curve_points(1000);
  Bernoulli problem({});
  const Shape shape = problem.shape();
  Agent agent{SampleMean{{shape, {}}}, Greedy{{shape, {}}}};
  Streams rng{Rng({.seed = 1}), Rng({.seed = 1, .role = Role::kAgent})};
  Recorder recorder(shape.actions, 1000, points);
  play(problem, agent, rng, 1000, recorder);
  EXPECT_TRUE(recorder.complete());
  EXPECT_EQ(recorder.record().curve.size(), points.size());
  EXPECT_EQ(recorder.record().curve.back(), recorder.record().regret);
}

TEST(Recorder, SaysHowFarItIsAtEveryPoint) {
  const std::vector<std::uint64_t> points = {2, 4};
  std::atomic<std::uint64_t> steps = 0;
  Recorder recorder(1, 4, points, {nullptr, &steps});
  std::vector<std::uint64_t> seen;
  for (int n = 0; n < 4; ++n) {
    EXPECT_TRUE(recorder.step(0, 0.0, 0.0));
    seen.push_back(steps);
  }
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 2, 2, 4}));
}

}  // namespace
}  // namespace sau
