// What an agent says about what it has learned.
#include "sau/agent/knowledge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"

namespace sau {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<AnyAgent> agent_of(const std::string& spec, Shape shape) {
  return make_agent(spec, {.shape = shape, .stream = {}});
}

const std::vector<double>& column(const std::vector<ActionColumn>& columns, const char* name) {
  return std::ranges::find(columns, name, &ActionColumn::name)->number;
}

// Learns random rewards of random actions.
void teach(AnyAgent& agent, int steps) {
  const Shape shape = agent.shape();
  Rng rng({.seed = 5});
  std::vector<double> x(shape.dim);
  for (int n = 0; n < steps; ++n) {
    for (double& number : x) number = rng.normal();
    Choice made = agent.choose(x, rng);
    made.action = static_cast<Action>(rng.below(shape.actions));
    agent.learn(x, made, rng.uniform());
  }
}

TEST(Knowledge, SauShowsCountSquaresAndSpread) {
  const auto agent = agent_of("sample_mean+sau_sampling(alpha=0.5)", {.actions = 3, .dim = 0});
  agent->learn({}, {.action = 1, .value = 0.25}, 1.0);  // residual 0.75
  agent->learn({}, {.action = 1, .value = 1.0}, 0.5);   // residual -0.5
  const auto evidence = agent->evidence();
  EXPECT_THAT(column(evidence, "count"), ElementsAre(0.0, 2.0, 0.0));
  EXPECT_THAT(column(evidence, "S2"), ElementsAre(1.0, 1.0 + 0.5625 + 0.25, 1.0));
  EXPECT_DOUBLE_EQ(column(evidence, "spread")[1], std::sqrt(1.8125) / 2.0);
  EXPECT_TRUE(std::isinf(column(evidence, "spread")[0]));
  EXPECT_THAT(column(evidence, "mean"), ElementsAre(0.0, 0.75, 0.0));
  EXPECT_EQ(std::ranges::count(evidence, "count", &ActionColumn::name), 1);
  EXPECT_EQ(agent->uncertainty({}), column(evidence, "spread"));
}

TEST(Knowledge, PooledResidualsAreInTheSquaresShown) {
  const auto agent = agent_of("sample_mean+sau_ucb(pool=2)", {.actions = 2, .dim = 0});
  agent->learn({}, {.action = 0, .value = 0.0}, 0.5);
  EXPECT_THAT(column(agent->evidence(), "S2"), ElementsAre(1.75, 1.5));
}

TEST(Knowledge, UncertaintyIsWhatTheStrategyExploresBy) {
  const auto ucb1 = agent_of("ucb1", {.actions = 2, .dim = 0});
  for (int i = 0; i < 4; ++i) ucb1->learn({}, {.action = 0, .value = 0.0}, 1.0);
  EXPECT_EQ(ucb1->uncertainty({})[0], 0.5);

  const auto beta = agent_of("beta_bernoulli+thompson", {.actions = 1, .dim = 0});
  EXPECT_DOUBLE_EQ(beta->uncertainty({})[0], std::sqrt(1.0 / 12.0));  // of a uniform number

  const auto linear = agent_of("linear(lambda=4)+lin_ucb", {.actions = 1, .dim = 2});
  EXPECT_DOUBLE_EQ(linear->uncertainty(std::vector{3.0, 4.0})[0], 2.5);
}

TEST(Knowledge, UncertaintyIsRefusedWhereThereIsNone) {
  const auto agent = agent_of("sample_mean+greedy", {.actions = 2, .dim = 0});
  try {
    agent->uncertainty({});
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sample_mean+greedy keeps no number for it"));
  }
  const auto linear = agent_of("linear+sau_ucb", {.actions = 2, .dim = 2});
  EXPECT_THROW(linear->uncertainty(std::vector{1.0}), Error);
}

TEST(Knowledge, CoefficientsGiveTheValuesBack) {
  for (const char* spec :
       {"linear+sau_ucb", "linear(intercept=true)+greedy", "linear(columns=3)+sau_ucb",
        "linear_posterior(intercept=true)+thompson", "hashed_linear+sau_sampling"}) {
    SCOPED_TRACE(spec);
    const auto agent = agent_of(spec, {.actions = 3, .dim = 5});
    teach(*agent, 60);
    const Coefficients found = coefficients_of(*agent);
    const std::vector<double> x = {0.3, -1.0, 2.0, 0.0, 0.7};
    const auto value = agent->values(x);
    for (std::size_t a = 0; a < 3; ++a) {
      double sum = found.intercept[a];
      for (std::size_t i = 0; i < 5; ++i) sum += found.slope[a * 5 + i] * x[i];
      EXPECT_NEAR(sum, value[a], 1e-6);
    }
  }
}

TEST(Knowledge, CoefficientsAreRefusedIfValuesAreNotLinear) {
  for (const char* spec : {"sample_mean+sau_ucb", "mlp+greedy", "linear+sau_ucb+ids"}) {
    const auto agent = agent_of(spec, {.actions = 2, .dim = 2});
    EXPECT_THROW(coefficients_of(*agent), Error) << spec;
    EXPECT_FALSE(knowledge_of(*agent).coefficients) << spec;
  }
}

TEST(Knowledge, ArraysHaveNormsAndBounds) {
  StateWriter writer;
  writer("weights", std::vector<float>{3.0F, -4.0F});
  writer("count", std::vector<std::uint64_t>{1, 2});
  writer("large", std::vector<double>{1e200, 1e200});
  writer("chunks", std::vector<std::array<float, 2>>{{1.0F, 2.0F}, {2.0F, 4.0F}});
  writer("empty", std::vector<double>{});
  const auto arrays = summarise_arrays(writer);
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(arrays[0].name, "weights");
  EXPECT_EQ(arrays[0].count, 2U);
  EXPECT_DOUBLE_EQ(arrays[0].norm, 5.0);
  EXPECT_EQ(arrays[0].least, -4.0);
  EXPECT_EQ(arrays[0].greatest, 3.0);
  EXPECT_DOUBLE_EQ(arrays[1].norm, std::sqrt(2.0) * 1e200);
  EXPECT_DOUBLE_EQ(arrays[2].norm, 5.0);
}

TEST(Knowledge, OfActionsByIdTheMostUsedComeFirst) {
  const auto agent = make_offer_agent("hashed_linear+sau_ucb", 1);
  for (int i = 0; i < 3; ++i) agent->learn({}, {.id = "often", .features = {}}, 0.0, 1.0);
  agent->learn({}, {.id = "once", .features = {}}, 0.5, 0.5);
  const Knowledge knowledge = knowledge_of(*agent, 10);
  EXPECT_EQ(knowledge.learned, 4U);
  EXPECT_EQ(knowledge.actions, 2U);
  EXPECT_THAT(knowledge.ids, ElementsAre("often", "once"));
  EXPECT_THAT(column(knowledge.evidence, "count"), ElementsAre(3.0, 1.0));
  EXPECT_THAT(column(knowledge.evidence, "S2"), ElementsAre(4.0, 1.0));
  EXPECT_THAT(column(knowledge.evidence, "mean"), ElementsAre(1.0, 0.5));
  EXPECT_EQ(knowledge_of(*agent, 1).ids.size(), 1U);
  EXPECT_FALSE(knowledge.arrays.empty());
}

TEST(Knowledge, AnAgentByIdsShowsAllActionsInOrder) {
  const auto agent = agent_of("sample_mean+sau_ucb+ids", {.actions = 3, .dim = 0});
  agent->learn({}, {.action = 2, .value = 0.0}, 1.0);
  EXPECT_THAT(column(agent->evidence(), "count"), ElementsAre(0.0, 0.0, 1.0));
  EXPECT_EQ(agent->uncertainty({}).size(), 3U);
}

}  // namespace
}  // namespace sau
