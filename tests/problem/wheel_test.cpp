#include "sau/problem/wheel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sau/catalog/catalog.hpp"

namespace sau {
namespace {

Action action_of_quadrant(Context x) {
  if (x[0] >= 0.0) return x[1] >= 0.0 ? 1 : 2;
  return x[1] >= 0.0 ? 3 : 4;
}

// The rewards, within six times the standard deviation of 0.01.
TEST(Wheel, PaysByRadiusAndQuadrant) {
  for (const double delta : {0.0, 0.5, 0.95, 1.0}) {
    Wheel wheel(Stream{}, {.delta = delta, .best = "0"});
    Rng rng(Stream{.seed = 1});
    int outside = 0;
    for (int step = 0; step < 5'000; ++step) {
      const Context x = wheel.next(rng);
      const bool beyond = std::hypot(x[0], x[1]) > delta;
      outside += beyond ? 1 : 0;
      for (Action a = 0; a < 5; ++a) {
        const bool jackpot = beyond && a == action_of_quadrant(x);
        const double expected = jackpot ? 50.0 : a == 0 ? 1.2 : 1.0;
        ASSERT_NEAR(wheel.pull(a, rng), expected, 0.06);
      }
    }
    const double share = 1.0 - delta * delta;
    EXPECT_NEAR(outside, 5'000 * share, 4.0 * std::sqrt(5'000 * share * (1.0 - share)) + 1e-9);
  }
}

// Wherever the inner action is, the other four have the quadrants in the paper's order, and
// contexts do not change.
TEST(Wheel, TheInnerActionMayBeAnywhere) {
  Wheel paper(Stream{}, {.best = "0"});
  for (Action inner = 0; inner < 5; ++inner) {
    Wheel wheel(Stream{}, {.best = std::to_string(inner)});
    Rng rng(Stream{.seed = 8}), paper_rng(Stream{.seed = 8});
    for (int step = 0; step < 500; ++step) {
      const Context x = wheel.next(rng);
      ASSERT_TRUE(std::ranges::equal(x, paper.next(paper_rng)));
      std::vector<Action> outer = {0, 1, 2, 3, 4};
      outer.erase(outer.begin() + inner);
      ASSERT_NEAR(wheel.pull(inner, rng), 1.2, 0.06);
      for (std::size_t i = 0; i < outer.size(); ++i) {
        const bool jackpot = std::hypot(x[0], x[1]) > 0.5 && action_of_quadrant(x) == i + 1;
        ASSERT_NEAR(wheel.pull(outer[i], rng), jackpot ? 50.0 : 1.0, 0.06);
      }
    }
  }
}

TEST(Wheel, TheInnerActionIsOneOfFive) {
  EXPECT_THROW(make_problem("wheel(best=5)", Stream{}), UsageError);
  EXPECT_THROW(make_problem("wheel(best=first)", Stream{}), UsageError);
}

TEST(Wheel, RegretIsRelativeToTheBestRealisedReward) {
  Wheel wheel(Stream{}, {.delta = 0.8});
  Rng rng(Stream{.seed = 2});
  for (int step = 0; step < 1'000; ++step) {
    wheel.next(rng);
    std::vector<double> reward;
    for (Action a = 0; a < 5; ++a) reward.push_back(wheel.pull(a, rng));
    const double best = *std::ranges::max_element(reward);
    for (Action a = 0; a < 5; ++a) EXPECT_EQ(wheel.regret(a), best - reward[a]);
  }
}

// Two draws for the position and five for the errors. Rejection inside normal() may add some, but
// always the same number, whatever is played.
TEST(Wheel, AllAgentsMeetTheSameWheel) {
  Wheel one(Stream{}, {}), other(Stream{}, {});
  Rng first(Stream{.seed = 3}), second(Stream{.seed = 3});
  for (int step = 0; step < 1'000; ++step) {
    const Context x = one.next(first), y = other.next(second);
    ASSERT_TRUE(std::ranges::equal(x, y));
    one.pull(static_cast<Action>(step % 5), first);
    other.pull(0, second);
    ASSERT_EQ(first.position(), second.position());
    EXPECT_EQ(one.regret(3), other.regret(3));
  }
}

// Uniform in the disc: radius^2 and the angle are uniform. Kolmogorov, level 1e-4.
TEST(Wheel, ContextsAreUniformInTheDisc) {
  Wheel wheel(Stream{}, {});
  Rng rng(Stream{.seed = 4});
  std::vector<double> radius, angle;
  for (int step = 0; step < 20'000; ++step) {
    const Context x = wheel.next(rng);
    radius.push_back(x[0] * x[0] + x[1] * x[1]);
    angle.push_back(0.5 + std::atan2(x[1], x[0]) / (2.0 * std::acos(-1.0)));
  }
  for (auto* sample : {&radius, &angle}) {
    std::ranges::sort(*sample);
    const auto n = static_cast<double>(sample->size());
    double distance = 0.0;
    for (std::size_t i = 0; i < sample->size(); ++i) {
      const double below = static_cast<double>(i) / n;
      distance = std::max({distance, (*sample)[i] - below, below + 1.0 / n - (*sample)[i]});
    }
    EXPECT_LT(std::sqrt(n) * distance, 2.2252);
  }
}

TEST(Wheel, ErrorsHaveAStandardDeviationOfAHundredth) {
  Wheel wheel(Stream{}, {.delta = 1.0, .best = "0"});
  Rng rng(Stream{.seed = 5});
  double mean = 0.0, square = 0.0;
  constexpr int kSteps = 20'000;
  for (int step = 0; step < kSteps; ++step) {
    wheel.next(rng);
    const double error = wheel.pull(0, rng) - 1.2;
    mean += error / kSteps;
    square += error * error / kSteps;
  }
  EXPECT_NEAR(mean, 0.0, 0.0003);
  EXPECT_NEAR(std::sqrt(square), 0.01, 0.0002);
}

// The expected regret of uniform play over 2000 steps at delta = 0.5 is 58820 (appendix C's table
// has 82053 there, an outlier); the standard error of one trial is about 1000.
TEST(Wheel, UniformPlayHasTheExpectedRegret) {
  double regret = 0.0;
  constexpr std::uint64_t kTrials = 20;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Wheel wheel(Stream{}, {});
    Rng rng(Stream{.seed = 6, .trial = trial}), player(Stream{.seed = 7, .trial = trial});
    for (std::uint64_t step = 0; step < wheel.default_steps(); ++step) {
      wheel.next(rng);
      regret += wheel.regret(static_cast<Action>(player.below(5))) / kTrials;
    }
  }
  EXPECT_NEAR(regret, 58'820.0, 900.0);
}

TEST(Wheel, NamesAndHorizon) {
  const auto wheel = make_problem("wheel-0.95", Stream{});
  EXPECT_EQ(wheel->shape(), (Shape{5, 2}));
  EXPECT_EQ(wheel->default_steps(), 2'000U);
  EXPECT_EQ(canonical_problem("wheel-0.50"), "wheel(best=0)");
  EXPECT_EQ(problem_name("wheel(delta=0.99,best=0)"), "wheel-0.99");
  EXPECT_THROW(make_problem("wheel(delta=1.5)", Stream{}), UsageError);
}

}  // namespace
}  // namespace sau
