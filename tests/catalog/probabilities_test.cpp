#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "support/catalogue_types.hpp"
#include "support/sanitizer.hpp"

namespace sau {
namespace {

using testing::kSanitizer;
using testing::PairCase;
using testing::play_steps;
using testing::state_bytes;

constexpr Action kActions = 4;

class Probabilities : public ::testing::TestWithParam<PairCase> {};
INSTANTIATE_TEST_SUITE_P(Pairs, Probabilities, testing::every_pair_and_by_ids(),
                         testing::pair_name);

std::vector<double> probabilities(AnyAgent& agent, Context x) {
  std::vector<double> chance(agent.shape().actions, -1.0);
  agent.probabilities(x, chance);
  return chance;
}

// Draws from clones, so that every draw is the agent's next choice. A clone takes long if the model
// has many parameters, and then fewer draws must do: the strategy is the same.
void expect_frequencies(const AnyAgent& agent, Context x, int draws) {
  const PairCase& pair = Probabilities::GetParam();
  if (pair.uses_context) draws /= 5;
  if (pair.by_ids) draws = std::min(draws, 5'000);
  if (kSanitizer) draws /= 20;
  const auto chance = probabilities(*agent.clone(), x);
  std::vector<int> count(chance.size());
  Rng rng({.seed = 77, .role = Role::kAgent});
  for (int n = 0; n < draws; ++n) ++count[agent.clone()->choose(x, rng).action];
  for (std::size_t a = 0; a < chance.size(); ++a) {
    const double error = std::sqrt(chance[a] * (1.0 - chance[a]) / draws);
    EXPECT_NEAR(static_cast<double>(count[a]) / draws, chance[a], 5.0 * error + 1e-12) << a;
  }
}

TEST_P(Probabilities, AreNotNegativeAndAddUp) {
  for (const Action actions : {1U, 2U, 7U, 64U}) {
    const auto agent = GetParam().make(actions);
    auto world = GetParam().world(4);
    Rng rng({.seed = 2, .role = Role::kAgent});
    for (int n = 0; n < (kSanitizer ? 30 : 150); ++n) {
      const Context x = world.next();
      const auto chance = probabilities(*agent, x);
      for (const double p : chance) ASSERT_GE(p, 0.0);
      ASSERT_NEAR(std::accumulate(chance.begin(), chance.end(), 0.0), 1.0, 1e-12);
      const Choice made = agent->choose(x, rng);
      ASSERT_GT(chance[made.action], 0.0) << "an impossible action was played";
      agent->learn(x, made, world.reward(made.action));
    }
  }
}

// Covers the initial pulls, and settings that change the chances from step to step.
TEST_P(Probabilities, OfTheLastChoiceEqualThoseAskedBeforeIt) {
  const bool anneals = GetParam().strategy == EpsilonGreedy::kName;
  const auto agent =
      make_agent(GetParam().spec(anneals ? "(epsilon=0.9,decay=0.8,initial_pulls=2)" : ""),
                 GetParam().setup(kActions));
  auto world = GetParam().world(4);
  Rng rng({.seed = 2, .role = Role::kAgent});
  std::vector<double> chance(kActions);
  for (int n = 0; n < 60; ++n) {
    const Context x = world.next();
    const auto before = probabilities(*agent, x);
    const Choice made = agent->choose(x, rng);
    const std::string state = state_bytes(*agent);
    agent->last_probabilities(x, chance);
    for (Action a = 0; a < kActions; ++a) ASSERT_NEAR(chance[a], before[a], 1e-13) << n;
    ASSERT_EQ(state_bytes(*agent), state) << "asking changes nothing";
    agent->learn(x, made, world.reward(made.action));
  }
}

TEST_P(Probabilities, MatchTheFrequenciesOfDraws) {
  const auto agent = GetParam().make(kActions);
  auto world = GetParam().world(4);
  Rng rng({.seed = 2, .role = Role::kAgent});
  play_steps(*agent, world, rng, 12);
  expect_frequencies(*agent, world.next(), 100'000);
}

TEST_P(Probabilities, MatchTheFrequenciesWhileRewardsAreLate) {
  const auto agent = GetParam().make(kActions);
  auto world = GetParam().world(4);
  Rng rng({.seed = 2, .role = Role::kAgent});
  for (Action n = 0; n < kActions; ++n) {
    const Context x = world.next();
    const Choice made = agent->choose(x, rng);
    if (made.action == 1) agent->learn(x, made, world.reward(made.action));
  }
  expect_frequencies(*agent, world.next(), 20'000);
}

TEST_P(Probabilities, MatchTheFrequenciesOfTheFirstStep) {
  auto world = GetParam().world(4);
  expect_frequencies(*GetParam().make(kActions), world.next(), 20'000);
}

TEST_P(Probabilities, AskingChangesNothing) {
  const auto agent = GetParam().make(kActions);
  auto world = GetParam().world(4);
  Rng rng({.seed = 2, .role = Role::kAgent});
  for (const int steps : {0, 2, 60}) {  // new, during the initial pulls, after them
    play_steps(*agent, world, rng, steps);
    const auto untouched = agent->clone();
    auto same_world = world;
    auto ask_world = world;
    for (int i = 0; i < 3; ++i) probabilities(*agent, ask_world.next());
    EXPECT_EQ(state_bytes(*agent), state_bytes(*untouched));
    Rng same_rng(rng.stream(), rng.position());
    EXPECT_EQ(play_steps(*agent, world, rng, 100),
              play_steps(*untouched, same_world, same_rng, 100));
    EXPECT_EQ(state_bytes(*agent), state_bytes(*untouched));
  }
}

TEST_P(Probabilities, AreTheSameWhenAskedTwice) {
  const auto agent = GetParam().make(kActions);
  auto world = GetParam().world(4);
  Rng rng({.seed = 2, .role = Role::kAgent});
  play_steps(*agent, world, rng, 30);
  const Context x = world.next();
  EXPECT_EQ(probabilities(*agent, x), probabilities(*agent, x));
}

// An agent after its initial pulls, whose action place[i] has learned the i-th history.
std::unique_ptr<AnyAgent> with_histories(const PairCase& pair, const std::vector<Action>& place) {
  const std::vector<std::vector<double>> histories = {
      {0.9, 0.2, 0.7, 0.4}, {0.5, 0.35}, {0.8, 0.6, 1.0, 0.1, 0.45, 0.3}, {0.75}};
  auto agent = pair.make(kActions);
  Rng rng({.seed = 2, .role = Role::kAgent});
  for (Action n = 0; n < kActions; ++n) agent->choose({}, rng);
  for (std::size_t i = 0; i < histories.size(); ++i) {
    for (const double reward : histories[i]) {
      agent->learn({}, {.action = place[i], .value = agent->values({})[place[i]]}, reward);
    }
  }
  return agent;
}

// Not for models that use a context: those may share parameters between actions.
TEST_P(Probabilities, ArePermutedWithTheHistories) {
  if (!GetParam().uses_context) {
    const auto original = probabilities(*with_histories(GetParam(), {0, 1, 2, 3}), {});
    for (const std::vector<Action>& place :
         {std::vector<Action>{3, 2, 1, 0}, {1, 2, 3, 0}, {2, 0, 1, 3}}) {
      const auto permuted = probabilities(*with_histories(GetParam(), place), {});
      for (std::size_t i = 0; i < kActions; ++i) {
        EXPECT_NEAR(permuted[place[i]], original[i], 2e-9) << i;
      }
    }
  }
}

}  // namespace
}  // namespace sau
