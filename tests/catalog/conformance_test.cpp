// Every model runs these with every strategy that fits it, also by ids. Registering a component is
// enough.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "support/catalogue_types.hpp"
#include "support/errors.hpp"
#include "support/sanitizer.hpp"
#include "support/test_problem.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::play_steps;
using testing::setup_for;
using testing::state_bytes;
using testing::StepLog;
using testing::TestProblem;

// Long enough for several updates of the deep models.
constexpr int kSteps = testing::kSanitizer ? 60 : 500;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Streams streams(std::uint64_t seed) {
  return {Rng({.seed = seed}), Rng({.seed = seed, .role = Role::kAgent})};
}

class Conformance : public ::testing::TestWithParam<testing::PairCase> {
 public:
  static std::vector<double> context() {
    return std::vector<double>(GetParam().setup(1).shape.dim, 0.5);
  }
};
INSTANTIATE_TEST_SUITE_P(Pairs, Conformance, testing::every_pair_and_by_ids(), testing::pair_name);

// The only test of the concrete types. It shows that they behave like AnyAgent, which all other
// tests use.
template <class P>
StepLog concrete_steps(Action actions, std::size_t steps) {
  const auto setup = setup_for<typename P::Model>(actions);
  TestProblem problem(setup.shape);
  Agent agent{typename P::Model(setup, {}), typename P::Strategy(setup, {})};
  auto rng = streams(8);
  StepLog log;
  play(problem, agent, rng, steps, log);
  return log;
}

using ConcretePair = testing::CompiledPair<StepLog(Action, std::size_t)>;

template <class... P>
std::vector<ConcretePair> concrete_pairs(TypeList<P...> pairs) {
  return testing::compiled_pairs<StepLog(Action, std::size_t)>(pairs, {concrete_steps<P>...});
}

class ConcreteAgent : public ::testing::TestWithParam<ConcretePair> {};
INSTANTIATE_TEST_SUITE_P(Pairs, ConcreteAgent,
                         ::testing::ValuesIn(concrete_pairs(testing::FittingPairs{})),
                         testing::pair_name);

TEST_P(ConcreteAgent, ConcreteAndVirtualLoopsAgree) {
  constexpr std::size_t kLong = testing::kSanitizer ? 60 : 700;
  for (const Action actions : {1U, 2U, 7U}) {
    TestProblem concrete(GetParam().setup(actions).shape);
    Problem& problem = concrete;
    const auto agent = GetParam().make_usual(actions);
    auto rng = streams(8);
    StepLog virtual_log;
    play(problem, *agent, rng, kLong, virtual_log);
    EXPECT_EQ(GetParam().call(actions, kLong), virtual_log);
  }
}

TEST_P(Conformance, PlaysOnlyItsActionsAndIsRepeatable) {
  for (const Action actions : {1U, 2U, 7U, 64U}) {
    const auto run = [&] {
      const auto agent = GetParam().make(actions);
      auto world = GetParam().world(11);
      Rng rng({.seed = 5, .role = Role::kAgent});
      return play_steps(*agent, world, rng, kSteps);
    };
    const auto played = run();
    for (const Action action : played) EXPECT_LT(action, actions);
    EXPECT_EQ(played, run());
  }
}

TEST_P(Conformance, StillWorksAfterHugeRewardsOfBothSigns) {
  for (const double size : {1.0, 1e6, 1e150}) {
    if (!GetParam().rewards.contains(-size)) continue;
    for (const Action actions : {1U, 2U, 7U, 64U}) {
      const auto agent = GetParam().make(actions);
      auto world = GetParam().world(3);
      Rng rng({.seed = 5, .role = Role::kAgent});
      for (int n = 0; n < testing::repeats(300); ++n) {
        const Context x = world.next();
        const Choice made = agent->choose(x, rng);
        ASSERT_LT(made.action, actions);
        ASSERT_TRUE(std::isfinite(made.value)) << "step " << n << ", rewards of " << size;
        agent->learn(x, made, n % 3 == 0 ? size : -size);
      }
    }
  }
}

// learn() may refuse a reward, but a reward that it accepts must not break the agent.
TEST_P(Conformance, ProbabilitiesAddUpAfterAnyAcceptedReward) {
  for (const double size : {1e150, 1e200, 1.7e308}) {
    const auto agent = GetParam().make(3);
    auto world = GetParam().world(3);
    Rng rng({.seed = 5, .role = Role::kAgent});
    std::vector<double> chance(3);
    for (int n = 0; n < 30; ++n) {
      const Context x = world.next();
      const Choice made = agent->choose(x, rng);
      if (!error_of([&] { agent->learn(x, made, n % 2 == 0 ? size : -size); }).empty()) break;
      agent->probabilities(x, chance);
      double sum = 0.0;
      for (const double p : chance) {
        ASSERT_GE(p, 0.0) << "step " << n << ", rewards of " << size;
        sum += p;
      }
      ASSERT_NEAR(sum, 1.0, 1e-12) << "step " << n << ", rewards of " << size;
    }
  }
}

// With the largest doubles of both signs, r - mean overflows.
TEST_P(Conformance, ValuesAreFiniteAfterAnyAcceptedReward) {
  for (const double size : {1e150, 1e200, 1.7e308}) {
    const auto agent = GetParam().make(1);
    auto world = GetParam().world(3);
    Rng rng({.seed = 5, .role = Role::kAgent});
    for (int n = 0; n < 6; ++n) {
      const Context x = world.next();
      const Choice made = agent->choose(x, rng);
      ASSERT_TRUE(std::isfinite(made.value)) << "step " << n << ", rewards of " << size;
      if (!error_of([&] { agent->learn(x, made, n % 2 == 0 ? size : -size); }).empty()) break;
    }
  }
}

// AnyAgent::play() has fast paths for the cheap problems; they must not change a number.
TEST_P(Conformance, PlayEqualsTheLoopOfChooseAndLearn) {
  constexpr std::uint64_t kLong = testing::kSanitizer ? 70 : 700;
  const auto compare = [](auto& problem, auto& same_problem) {
    const Shape shape = problem.shape();
    const auto points = curve_points(kLong);
    Recorder one(shape.actions, kLong, points), two(shape.actions, kLong, points);
    const auto agent = GetParam().make(shape.actions);
    const auto same_agent = agent->clone();
    auto rng = streams(8), same_rng = streams(8);
    agent->play(problem, rng, kLong, one);
    play(static_cast<Problem&>(same_problem), *same_agent, same_rng, kLong, two);
    EXPECT_EQ(one.record().curve, two.record().curve);
    EXPECT_EQ(one.record().reward, two.record().reward);
    EXPECT_EQ(state_bytes(*agent), state_bytes(*same_agent));
    EXPECT_EQ(rng.agent.position(), same_rng.agent.position());
    EXPECT_EQ(rng.problem.position(), same_rng.problem.position());
  };
  TestProblem one(GetParam().setup(4).shape), two = one;
  compare(one, two);
  if (!GetParam().uses_context) {
    Bernoulli three({}), four({});
    compare(three, four);
  }
}

TEST_P(Conformance, ContinuesAfterSaveAndLoadAsIfUninterrupted) {
  for (const int before : {0, 1, 3, 150}) {  // new, during the initial pulls, long after them
    const auto agent = GetParam().make(5);
    auto world = GetParam().world(4);
    Rng rng({.seed = 9, .role = Role::kAgent});
    play_steps(*agent, world, rng, before);

    const std::string bytes = state_bytes(*agent);
    const auto loaded = GetParam().make(5);
    StateReader reader(bytes);
    loaded->load(reader);
    reader.finish();
    EXPECT_EQ(state_bytes(*loaded), bytes);

    auto same_world = world;
    Rng same_rng(rng.stream(), rng.position());
    EXPECT_EQ(play_steps(*loaded, same_world, same_rng, kSteps),
              play_steps(*agent, world, rng, kSteps));
    EXPECT_EQ(state_bytes(*loaded), state_bytes(*agent));
  }
}

TEST_P(Conformance, AStateOfAnotherShapeIsRefused) {
  if (GetParam().by_ids) GTEST_SKIP() << "ids may come and go, so its state fits any shape";
  const std::string bytes = state_bytes(*GetParam().make(5));
  const auto other = GetParam().make(4);
  StateReader reader(bytes);
  EXPECT_NE(error_of([&] { other->load(reader); }), "");
}

TEST_P(Conformance, ACloneIsIndependent) {
  const auto agent = GetParam().make(4);
  auto world = GetParam().world(4);
  Rng rng({.seed = 9, .role = Role::kAgent});
  play_steps(*agent, world, rng, 50);
  const std::string before = state_bytes(*agent);
  const auto clone = agent->clone();
  EXPECT_EQ(clone->spec(), agent->spec());
  EXPECT_EQ(clone->shape(), agent->shape());
  auto same_world = world;
  Rng same_rng(rng.stream(), rng.position());
  const auto of_clone = play_steps(*clone, same_world, same_rng, kSteps);
  EXPECT_EQ(state_bytes(*agent), before);
  EXPECT_EQ(play_steps(*agent, world, rng, kSteps), of_clone);
  EXPECT_EQ(state_bytes(*agent), state_bytes(*clone));
}

TEST_P(Conformance, AContextOfAnotherLengthIsRefused) {
  const auto agent = GetParam().make(3);
  auto longer = context();
  longer.push_back(1.0);
  Rng rng({.seed = 1});
  std::vector<double> chance(3);
  const std::string expected = "the context has " + std::to_string(longer.size()) +
                               " numbers, expected " + std::to_string(longer.size() - 1);
  EXPECT_THAT(error_of([&] { agent->choose(longer, rng); }), HasSubstr(expected));
  EXPECT_THAT(error_of([&] { agent->learn(longer, {}, 0.0); }), HasSubstr(expected));
  EXPECT_THAT(error_of([&] { agent->probabilities(longer, chance); }), HasSubstr(expected));
  EXPECT_THAT(error_of([&] { agent->values(longer); }), HasSubstr(expected));
  EXPECT_EQ(rng.position(), 0U);
}

TEST_P(Conformance, AContextThatIsNotFiniteIsRefused) {
  auto setup = GetParam().setup(3);
  setup.shape.dim = 3;  // context-free models take contexts and ignore them
  const auto agent = make_agent(GetParam().spec(), setup);
  Rng rng({.seed = 1});
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    const std::vector<double> x = {0.0, bad, 0.0};
    EXPECT_THAT(error_of([&] { agent->choose(x, rng); }), HasSubstr("number 1 is not finite"));
  }
}

TEST_P(Conformance, RewardsItCannotLearnFromAreRefused) {
  const auto agent = GetParam().make(3);
  const auto x = context();
  const std::string before = state_bytes(*agent);
  std::vector<double> bad = {kNan, kInfinity, -kInfinity};
  if (std::isfinite(GetParam().rewards.max))
    bad.push_back(std::nextafter(GetParam().rewards.max, kInfinity));
  if (std::isfinite(GetParam().rewards.min))
    bad.push_back(std::nextafter(GetParam().rewards.min, -kInfinity));
  for (const double reward : bad) {
    const std::string error =
        error_of([&] { agent->learn(x, {.action = 0, .value = 0.5}, reward); });
    EXPECT_THAT(error, HasSubstr("is not allowed; " + GetParam().learner));
    EXPECT_THAT(error, HasSubstr(" learns from rewards from "));
  }
  EXPECT_EQ(state_bytes(*agent), before);
}

TEST_P(Conformance, WrongChoicesAndBuffersAreRefused) {
  const auto agent = GetParam().make(3);
  const auto x = context();
  EXPECT_THAT(error_of([&] { agent->learn(x, {.action = 3, .value = 0.0}, 0.5); }),
              HasSubstr("action 3 is not one of 3"));
  EXPECT_THAT(error_of([&] { agent->learn(x, {.action = 0, .value = kNan}, 0.5); }),
              HasSubstr("the choice's value is not finite"));
  std::vector<double> two(2);
  EXPECT_THAT(error_of([&] { agent->probabilities(x, two); }),
              HasSubstr("room for 2 actions, expected 3"));
}

TEST(BetaBernoulliAgent, SaysWhatRewardsItLearnsFrom) {
  const auto agent = make_agent("ts", {.shape = {.actions = 2}, .stream = {}});
  EXPECT_EQ(error_of([&] { agent->learn({}, {.action = 0, .value = 0.5}, 1.5); }),
            "learn: reward 1.5 is not allowed; beta_bernoulli learns from rewards from 0 to 1");
}

}  // namespace
}  // namespace sau
