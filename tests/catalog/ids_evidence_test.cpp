// What strategies and models that keep more than n_a and S2_a do with actions by id.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/draw.hpp"
#include "support/errors.hpp"
#include "support/setups.hpp"

namespace sau::ids_evidence_test {
namespace {

using testing::actions;
using testing::error_of;
using ::testing::HasSubstr;

// Plays two agents on the same rewards, which arrive `delay` steps late, and expects the same
// choices, values and probabilities, bit by bit. The best action changes halfway.
void expect_the_same(const std::string& one, const std::string& other, std::size_t delay) {
  constexpr Action kActions = 5;
  constexpr int kSteps = 1500;
  const auto a = make_agent(one, actions(kActions)), b = make_agent(other, actions(kActions));
  Rng draw_a({.seed = 2, .role = Role::kAgent}), draw_b = draw_a, world({.seed = 3});
  std::vector<double> chance_a(kActions), chance_b(kActions);
  std::deque<std::pair<Choice, double>> coming;
  for (int n = 0; n < kSteps; ++n) {
    a->probabilities({}, chance_a);
    b->probabilities({}, chance_b);
    ASSERT_EQ(chance_a, chance_b) << "step " << n;
    const Choice made = a->choose({}, draw_a), same = b->choose({}, draw_b);
    ASSERT_EQ(made.action, same.action) << "step " << n;
    ASSERT_EQ(made.value, same.value) << "step " << n;
    const Action best = n < kSteps / 2 ? 1 : 3;
    coming.emplace_back(made, world.uniform() < (made.action == best ? 0.9 : 0.2) ? 1.0 : 0.0);
    if (coming.size() <= delay) continue;
    a->learn({}, coming.front().first, coming.front().second);
    b->learn({}, coming.front().first, coming.front().second);
    coming.pop_front();
  }
}

TEST(Exp3ByIds, IsThatOfAFixedSetIfTheIdsStay) {
  expect_the_same("sample_mean+exp3", "sample_mean+exp3+ids", 0);
  expect_the_same("sample_mean+exp3(rate=5)", "sample_mean+exp3(rate=5)+ids", 0);
  expect_the_same("sample_mean+exp3", "sample_mean+exp3+ids", 7);
}

TEST(RestartingByIds, IsThatOfAFixedSetIfTheIdsStay) {
  expect_the_same("restarting+greedy", "restarting+greedy+ids", 0);
  expect_the_same("restarting+softmax", "restarting+softmax+ids", 0);
}

TEST(WindowedByIds, IsThatOfAFixedSetIfTheIdsStay) {
  expect_the_same("windowed(window=50)+greedy", "windowed(window=50)+greedy+ids", 0);
  expect_the_same("windowed(window=50)+softmax", "windowed(window=50)+softmax+ids", 0);
}

// The candidates `ids`, without features.
struct Offer {
  explicit Offer(std::vector<std::string> names) : ids(std::move(names)), forecasts(ids.size()) {
    for (const std::string& id : ids) actions.push_back({.id = id, .features = {}});
  }
  const std::vector<Forecast>& decide(const OfferAgent& agent) {
    agent.decide({}, actions, std::nullopt, forecasts);
    return forecasts;
  }
  std::vector<std::string> ids;
  std::vector<OfferedAction> actions;
  std::vector<Forecast> forecasts;
};

// A trial with losses and chances kept by hand. After 300 rewards an id leaves and another comes,
// which starts with what the agent itself has lost.
TEST(Exp3ByIds, ANewIdStartsWithTheLossOfTheAgent) {
  const auto agent = make_offer_agent("sample_mean+exp3(rate=2)", 1);
  std::map<std::string, double> loss;
  double lost = 0.0;
  bool known = false;  // "d" has had a reward
  Rng rng({.seed = 4});
  Offer first({"a", "b", "c"}), second({"b", "c", "d"});
  for (int n = 1; n <= 400; ++n) {
    Offer& offer = n <= 300 ? first : second;
    if (n > 300 && !known) loss["d"] = lost;
    const double eta = 2.0 * std::sqrt(std::log(3.0) / (3.0 * n));
    const auto& seen = offer.decide(*agent);
    double sum = 0.0;
    for (const std::string& id : offer.ids) sum += std::exp(-eta * (loss[id] - lost));
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_NEAR(seen[i].probability, std::exp(-eta * (loss[offer.ids[i]] - lost)) / sum, 1e-12);
    }
    const std::size_t chosen = draw_from(seen, rng.uniform(), &Forecast::probability);
    const double reward = rng.uniform();
    loss[offer.ids[chosen]] += (1.0 - reward) / seen[chosen].probability;
    lost += 1.0 - reward;
    known = known || offer.ids[chosen] == "d";
    agent->learn({}, offer.actions[chosen], seen[chosen].value, reward, seen[chosen].probability);
  }
}

TEST(Exp3ByIds, NeedsTheProbabilityOfTheChoice) {
  const auto agent = make_offer_agent("sample_mean+exp3", 1);
  EXPECT_TRUE(agent->uses_probability());
  const OfferedAction action{.id = "a", .features = {}};
  for (const double probability : {kUnknownProbability, 0.0, 1.5}) {
    EXPECT_THAT(
        error_of([&] { agent->learn({}, action, 0.0, 1.0, probability); }),
        HasSubstr("sample_mean+exp3 needs the probability with which the action was chosen"));
  }
  EXPECT_EQ(agent->learned(), 0U);
  EXPECT_FALSE(make_offer_agent("sample_mean+greedy", 1)->uses_probability());
}

TEST(RestartingByIds, TakesTheStrategyWithIt) {
  const auto agent = make_offer_agent("restarting+sau_ucb", 1);
  Offer offer({"a", "b"});
  const auto learn = [&](std::size_t i, double reward) {
    agent->learn({}, offer.actions[i], offer.decide(*agent)[i].value, reward);
  };
  for (int n = 0; n < 500; ++n) learn(static_cast<std::size_t>(n % 2), n % 2 == 0 ? 1.0 : 0.0);
  EXPECT_EQ(agent->action_count(), 2U);
  EXPECT_EQ(offer.decide(*agent)[0].value, 1.0);
  int n = 0;
  while (agent->action_count() == 2 && n++ < 100) learn(0, 0.0);
  EXPECT_LT(n, 100);
  EXPECT_EQ(agent->action_count(), 0U);
  EXPECT_EQ(agent->learned(), 500U + static_cast<std::uint64_t>(n));
  for (const Forecast& seen : offer.decide(*agent)) {
    EXPECT_EQ(seen.value, 0.0);
    EXPECT_EQ(seen.count, 0U);
    EXPECT_EQ(seen.spread, 1.0);
  }
}

// After ten rewards five are left, with their residuals taken anew.
TEST(WindowedByIds, RecordsAreThoseOfTheWindow) {
  const auto agent = make_offer_agent("windowed(window=10,parts=2)+sau_ucb(start=0)", 1);
  Offer offer({"a", "b", "c"});
  const auto learn = [&](std::size_t i, double reward) {
    agent->learn({}, offer.actions[i], offer.decide(*agent)[i].value, reward);
  };
  for (int n = 0; n < 5; ++n) learn(0, 1.0);
  for (int n = 0; n < 4; ++n) learn(1, n % 2 == 0 ? 1.0 : 0.0);
  EXPECT_EQ(agent->action_count(), 2U);
  learn(2, 0.5);
  EXPECT_EQ(agent->action_count(), 2U);
  EXPECT_EQ(agent->learned(), 10U);
  const auto& seen = offer.decide(*agent);
  EXPECT_EQ(seen[0].count, 0U);
  EXPECT_EQ(seen[1].count, 4U);
  EXPECT_EQ(seen[1].value, 0.5);
  // Predicted were 0, 1, 1/2 and 2/3; the rewards were 1, 0, 1 and 0.
  EXPECT_NEAR(seen[1].variance, (1.0 + 1.0 + 0.25 + 4.0 / 9.0) / 4.0, 1e-12);
  EXPECT_EQ(seen[2].count, 1U);
}

// The weight of the j-th latest reward is discount^j, whatever its id.
TEST(ForgettingByIds, CountsAndSquaresAreDiscountedSums) {
  constexpr double kDiscount = 0.9;
  const auto agent = make_offer_agent("sample_mean+sau_ucb(discount=0.9,start=0)", 1);
  Offer offer({"a", "b", "c"});
  Rng rng({.seed = 4});
  std::vector<double> count(3), squares(3);
  for (int n = 0; n < 80; ++n) {
    const auto chosen = static_cast<std::size_t>(rng.below(n < 40 ? 3 : 2));
    const double residual = rng.normal();
    agent->learn({}, offer.actions[chosen], 0.0, residual);
    for (std::size_t i = 0; i < 3; ++i) {
      count[i] = kDiscount * count[i] + (i == chosen ? 1.0 : 0.0);
      squares[i] = kDiscount * squares[i] + (i == chosen ? residual * residual : 0.0);
    }
  }
  const auto& seen = offer.decide(*agent);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(seen[i].variance, squares[i] / count[i], 1e-9);
    EXPECT_NEAR(seen[i].spread, std::sqrt(squares[i]) / count[i], 1e-9);
  }
  EXPECT_GT(seen[2].spread, 5.0 * seen[0].spread) << "not played for long";
}

// An id that comes after a restart of the service starts as it would have without one.
TEST(OfferAgentState, KeepsTheStartOfNewIds) {
  const char* spec = "sample_mean+sau_sampling(pool=1,start=0)";
  const auto one = make_offer_agent(spec, 1), two = make_offer_agent(spec, 1);
  Offer offer({"a", "b"});
  one->learn({}, offer.actions[0], 0.0, 1.0);
  const auto bytes = [](const OfferAgent& agent) {
    StateWriter writer;
    agent.save(writer);
    return std::string(writer.bytes());
  };
  const std::string saved = bytes(*one);
  StateReader reader(saved);
  two->load(reader);
  for (OfferAgent* agent : {one.get(), two.get()}) agent->learn({}, offer.actions[1], 0.0, 1.0);
  EXPECT_EQ(bytes(*one), bytes(*two));
}

}  // namespace
}  // namespace sau::ids_evidence_test
