// discount < 1: counts, squares and means against their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/explore/sau_state.hpp"
#include "sau/model/beta_bernoulli.hpp"
#include "sau/model/sample_mean.hpp"
#include "support/errors.hpp"
#include "support/setups.hpp"

namespace sau {
namespace {

using testing::actions;
using testing::error_of;
using ::testing::HasSubstr;

struct Lesson {
  Action action;
  double number;
};
std::vector<Lesson> lessons() {
  Rng rng({.seed = 4});
  std::vector<Lesson> result(60);
  for (Lesson& lesson : result) {
    lesson = {static_cast<Action>(rng.below(3)), rng.normal()};
  }
  return result;
}

// The weight of the j-th latest reward is discount^j, whatever its action.
TEST(Forgetting, CountsAndSquaresAreDiscountedSums) {
  constexpr double kDiscount = 0.9;
  SauState state(3, 2.0, {.start = 0.0, .discount = kDiscount});
  const auto all = lessons();
  for (const auto& [action, residual] : all) state.observe(action, residual);
  double total = 0.0;
  for (Action a = 0; a < 3; ++a) {
    double count = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].action != a) continue;
      const double weight = std::pow(kDiscount, static_cast<double>(all.size() - 1 - i));
      count += weight;
      squares += weight * all[i].number * all[i].number;
    }
    total += count;
    EXPECT_NEAR(state.pulls(a), count, 1e-12);
    EXPECT_NEAR(state.square(a), squares, 1e-12);
    EXPECT_NEAR(state.width()[a], 2.0 * std::sqrt(squares) / count, 1e-12);
  }
  EXPECT_NEAR(state.log_n(1'000'000), std::log(total + 1.0), 1e-12);
}

TEST(Forgetting, MeansAreDiscountedMeans) {
  constexpr double kDiscount = 0.8;
  SampleMean model(actions(3), {.discount = kDiscount});
  const auto all = lessons();
  for (const auto& [action, reward] : all) model.update({}, action, reward);
  for (Action a = 0; a < 3; ++a) {
    double count = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].action != a) continue;
      const double weight = std::pow(kDiscount, static_cast<double>(all.size() - 1 - i));
      count += weight;
      sum += weight * all[i].number;
    }
    EXPECT_NEAR(model.values({})[a], sum / count, 1e-12);
  }
}

// What an action has beyond its prior is a discounted sum.
TEST(Forgetting, TheBetaPosteriorFallsBackToItsPrior) {
  constexpr double kDiscount = 0.8;
  BetaBernoulli model(actions(3), {.alpha = 2.0, .beta = 3.0, .discount = kDiscount});
  const auto all = lessons();
  double successes[3] = {}, failures[3] = {};
  for (const auto& [action, number] : all) {
    const double reward = number > 0.0 ? 1.0 : 0.25;
    model.update({}, action, reward);
    for (Action a = 0; a < 3; ++a) {
      successes[a] = kDiscount * successes[a] + (a == action ? reward : 0.0);
      failures[a] = kDiscount * failures[a] + (a == action ? 1.0 - reward : 0.0);
    }
  }
  const auto marginals = model.marginals({});
  for (Action a = 0; a < 3; ++a) {
    EXPECT_NEAR(marginals[a].alpha, 2.0 + successes[a], 1e-12);
    EXPECT_NEAR(marginals[a].beta, 3.0 + failures[a], 1e-12);
  }
}

// What docs/algorithms.md derives: with an action that is always played, the square of the width is
// 1 + g times the variance of the discounted mean.
TEST(Forgetting, TheSpreadIsTheVarianceOfTheMeanTimesOnePlusTheDiscount) {
  constexpr double kDiscount = 0.95;
  constexpr int kTrials = 4000;
  double mean = 0.0, square = 0.0, width = 0.0;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    Rng rng({.seed = 6, .trial = trial});
    SauState state(1, 1.0, {.start = 0.0, .discount = kDiscount});
    SampleMean model(actions(1), {.discount = kDiscount});
    for (int n = 0; n < 300; ++n) {
      const double reward = rng.normal();
      state.observe(0, reward);  // against the true mean, 0
      model.update({}, 0, reward);
    }
    mean += model.values({})[0] / kTrials;
    square += model.values({})[0] * model.values({})[0] / kTrials;
    width += state.width()[0] * state.width()[0] / kTrials;
  }
  const double variance = square - mean * mean;
  EXPECT_NEAR(variance, (1.0 - kDiscount) / (1.0 + kDiscount),
              5.0 * variance * std::sqrt(2.0 / kTrials));
  EXPECT_NEAR(width / variance, 1.0 + kDiscount,
              5.0 * (1.0 + kDiscount) * std::sqrt(2.0 / kTrials));
}

TEST(Forgetting, AnActionThatIsNotPlayedBecomesUncertain) {
  SauState state(2, 1.0, {.discount = 0.9});
  state.observe(1, 0.5);
  const double before = state.width()[1];
  for (int n = 0; n < 20; ++n) state.observe(0, 0.5);
  EXPECT_NEAR(state.width()[1], before * std::pow(0.9, -10.0), 1e-9);
  for (int n = 0; n < 100'000; ++n) state.observe(0, 0.5);
  EXPECT_TRUE(std::isfinite(state.width()[1]));
}

TEST(Forgetting, MergeIsRefused) {
  for (const char* spec :
       {"sample_mean(discount=0.99)+greedy", "sample_mean+sau_ucb(discount=0.9)",
        "sample_mean+sau_sampling(discount=0.9)", "beta_bernoulli(discount=0.9)+thompson"}) {
    const auto one = make_agent(spec, actions(2)), two = make_agent(spec, actions(2));
    EXPECT_THAT(error_of([&] { one->merge(*two); }), HasSubstr("its state is not a sum")) << spec;
  }
  const auto one = make_agent("sample_mean+sau_ucb", actions(2));
  EXPECT_NO_THROW(one->merge(*make_agent("sample_mean+sau_ucb", actions(2))));
}

TEST(Forgetting, SettingsThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(error_of<UsageError>([] { make_agent("sau_ucb(discount=0.9,pool=1)", actions(2)); }),
            "sau_ucb: discount=0.9 is not allowed with pool=1; expected one of them");
}

TEST(Forgetting, ContinuesAfterSaveAndLoad) {
  const char* spec = "sample_mean(discount=0.95)+sau_ucb(discount=0.95)";
  const auto one = make_agent(spec, actions(3)), two = make_agent(spec, actions(3));
  Rng rng({.seed = 1, .role = Role::kAgent});
  const auto play = [&](AnyAgent& agent, int from, int to) {
    std::vector<Action> played;
    for (int n = from; n < to; ++n) {
      const Choice made = agent.choose({}, rng);
      agent.learn({}, made, std::fmod(0.37 * n + 0.2 * made.action, 1.0));
      played.push_back(made.action);
    }
    return played;
  };
  play(*one, 0, 100);
  StateWriter writer;
  one->save(writer);
  StateReader reader(writer.bytes());
  two->load(reader);
  reader.finish();
  EXPECT_EQ(play(*one, 100, 300), play(*two, 100, 300));
}

}  // namespace
}  // namespace sau
