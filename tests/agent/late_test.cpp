#include "sau/agent/late.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sau/agent/play.hpp"
#include "sau/catalog/catalog.hpp"
#include "support/test_problem.hpp"

namespace sau {
namespace {

using ::testing::ElementsAre;
using testing::StepLog;
using testing::TestProblem;

constexpr Stream kStream{.seed = 3, .role = Role::kLate};

// What arrives in each step if every step sends its own number.
std::vector<std::vector<int>> arrivals(const Lateness& late, int steps) {
  Mailbox<int> mail(late, kStream);
  std::vector<std::vector<int>> arrived;
  for (int n = 0; n < steps; ++n) {
    auto& now = arrived.emplace_back();
    mail.end_step(n, [&](int lesson) { now.push_back(lesson); });
  }
  return arrived;
}

TEST(Mailbox, WithoutDelayEveryRewardArrivesInItsStep) {
  EXPECT_THAT(arrivals({}, 3), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST(Mailbox, AFixedDelayIsExact) {
  EXPECT_THAT(
      arrivals({.delay = {2, 2}}, 5),
      ElementsAre(ElementsAre(), ElementsAre(), ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST(Mailbox, ARandomDelayLiesInItsRangeAndIsUniform) {
  constexpr int kSteps = 40'000;
  const auto arrived = arrivals({.delay = {3, 7}}, kSteps);
  std::vector<int> count(8);
  int seen = 0;
  for (int n = 0; n < kSteps; ++n) {
    int before = -1;
    for (const int sent : arrived[static_cast<std::size_t>(n)]) {
      EXPECT_GT(sent, before) << "not in the order of the steps";
      before = sent;
      ASSERT_GE(n - sent, 3);
      ASSERT_LE(n - sent, 7);
      ++count[static_cast<std::size_t>(n - sent)];
      ++seen;
    }
  }
  EXPECT_GE(seen, kSteps - 7);
  for (int delay = 3; delay <= 7; ++delay) {  // sigma is 80: five of them
    EXPECT_NEAR(count[static_cast<std::size_t>(delay)], kSteps / 5, 400) << delay;
  }
}

TEST(Mailbox, MissingRewardsNeverArrive) {
  constexpr int kSteps = 40'000;
  int seen = 0;
  for (const auto& now : arrivals({.missing = 0.3}, kSteps)) seen += static_cast<int>(now.size());
  EXPECT_NEAR(seen, 0.7 * kSteps, 460);  // sigma is 92: five of them
  for (const auto& now : arrivals({.missing = 1.0}, 100)) EXPECT_TRUE(now.empty());
}

// Which rewards are missing does not depend on the delay of the others.
TEST(Mailbox, TheSameRewardsAreMissingForAnyDelay) {
  const auto missing = [](const Lateness& late) {
    std::vector<int> all;
    for (const auto& now : arrivals(late, 300)) all.insert(all.end(), now.begin(), now.end());
    std::erase_if(all, [](int n) { return n >= 200; });
    return all;
  };
  EXPECT_EQ(missing({.missing = 0.5}), missing({.delay = {50, 50}, .missing = 0.5}));
}

// Records what an agent was taught, as text.
struct RecordingAgent {
  std::vector<std::string> lessons;
  int chosen = 0;

  Choice choose(Context, Rng&) {
    ++chosen;
    return {static_cast<Action>(chosen % 3), 10.0 * chosen};
  }
  void learn(Context x, Choice made, double reward) {
    lessons.push_back(std::to_string(x[0]) + " " + std::to_string(made.action) + " " +
                      std::to_string(made.value) + " " + std::to_string(reward));
  }
};

TEST(LateLearner, ReturnsTheChoiceWithItsContextAndReward) {
  const auto taught = [](const Lateness& late) {
    TestProblem problem({.actions = 3, .dim = 1});
    RecordingAgent agent;
    LateLearner<RecordingAgent, ContextLesson> learner(agent, late, kStream);
    Streams rng{Rng({.seed = 1}), Rng({.seed = 1, .role = Role::kAgent})};
    StepLog log;
    play(problem, learner, rng, 50, log);
    EXPECT_EQ(agent.chosen, 50);
    return agent.lessons;
  };
  const auto at_once = taught({}), late = taught({.delay = {20, 20}});
  ASSERT_EQ(at_once.size(), 50U);
  ASSERT_EQ(late.size(), 30U);
  EXPECT_TRUE(std::equal(late.begin(), late.end(), at_once.begin()));
}

TEST(LateLearner, WithoutDelayEqualsTheAgent) {
  const auto played = [](bool through_mail) {
    TestProblem problem({.actions = 4, .dim = 2});
    const auto agent =
        make_agent("linear+sau_sampling", {.shape = problem.shape(), .stream = {.seed = 9}});
    LateLearner<AnyAgent, ContextLesson> learner(*agent, {}, kStream);
    Streams rng{Rng({.seed = 1}), Rng({.seed = 1, .role = Role::kAgent})};
    StepLog log;
    if (through_mail) {
      play(problem, learner, rng, 200, log);
    } else {
      play(problem, *agent, rng, 200, log);
    }
    return log;
  };
  EXPECT_EQ(played(true), played(false));
}

}  // namespace
}  // namespace sau
