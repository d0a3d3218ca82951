#include "sau/model/windowed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "support/errors.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;
using testing::error_of;
using testing::setup_of;

struct Lesson {
  std::vector<double> x;
  Action action = 0;
  double reward = 0.0;
};

std::vector<Lesson> lessons(std::size_t count, std::size_t dim) {
  Rng rng({.seed = 5});
  std::vector<Lesson> made(count);
  for (Lesson& lesson : made) {
    for (std::size_t i = 0; i < dim; ++i) lesson.x.push_back(rng.normal());
    lesson.action = static_cast<Action>(rng.below(3));
    lesson.reward = rng.normal();
  }
  return made;
}

// With ten rewards and two parts it forgets five at once: after 10, 15, 20, ... rewards.
TEST(Windowed, IsAsIfItHadStartedWithTheOldestRewardThatIsLeft) {
  constexpr std::size_t kWindow = 10, kDropped = 5;
  for (const std::size_t dim : {std::size_t{0}, std::size_t{4}}) {
    const std::string model = dim == 0 ? "sample_mean" : "linear";
    const auto given = lessons(38, dim);
    Agent agent{Windowed(setup_of(3, dim), {.model = model, .window = kWindow, .parts = 2}),
                SauUcb(setup_of(3, dim))};
    const std::vector<double> asked(dim, 0.5);
    for (std::size_t n = 1; n <= given.size(); ++n) {
      const Lesson& latest = given[n - 1];
      agent.learn(latest.x, {latest.action, agent.values(latest.x)[latest.action]}, latest.reward);
      const std::size_t first = n < kWindow ? 0 : n - kDropped - (n - kWindow) % kDropped;
      Agent fresh{Windowed(setup_of(3, dim), {.model = model}), SauUcb(setup_of(3, dim))};
      for (std::size_t i = first; i < n; ++i) {
        const Lesson& lesson = given[i];
        fresh.learn(lesson.x, {lesson.action, fresh.values(lesson.x)[lesson.action]},
                    lesson.reward);
      }
      for (Action a = 0; a < 3; ++a) {
        EXPECT_EQ(agent.values(asked)[a], fresh.values(asked)[a]) << n;
        const SauState& evidence = agent.explorer().evidence();
        EXPECT_EQ(evidence.pulls(a), fresh.explorer().evidence().pulls(a)) << n;
        EXPECT_EQ(evidence.square(a), fresh.explorer().evidence().square(a)) << n;
      }
    }
  }
}

TEST(Windowed, AnActionThatLeavesTheWindowIsPlayedAgain) {
  Agent agent{Windowed(actions(2), {.window = 40, .parts = 40}), SauUcb(actions(2))};
  Rng rng({.seed = 1, .role = Role::kAgent});
  int since = 0;
  for (int n = 0; n < 1000; ++n) {
    const Choice made = agent.choose({}, rng);
    agent.learn({}, made, made.action == 0 ? 1.0 : 0.0);
    since = made.action == 1 ? 0 : since + 1;
    ASSERT_LT(since, 40) << n;
  }
}

TEST(Windowed, RefusesWhatCannotBe) {
  EXPECT_EQ(
      error_of<UsageError>([] { make_agent("windowed(model=restarting)+greedy", actions(2)); }),
      "restarting contains models, so it cannot itself be inside one");
  EXPECT_EQ(
      error_of<UsageError>([] { make_agent("windowed(model=beta_bernoulli)+greedy", actions(2)); }),
      "windowed: beta_bernoulli does not learn from every reward; expected a model that does");
}

}  // namespace
}  // namespace sau
