#include <gtest/gtest.h>

#include "sau/catalog/catalog.hpp"
#include "sau/run/experiment.hpp"

namespace sau {
namespace {

TEST(LinearAliases, StandForTheirSpecs) {
  const struct {
    const char *alias, *spec;
  } cases[] = {
      {"linear-posterior",
       "linear_posterior(lambda=20,a0=35,b0=5,intercept=true)+thompson(initial_pulls=2)"},
      {"linear-greedy",
       "linear(lambda=20,intercept=true)+epsilon_greedy(epsilon=0.046,decay=0.93,initial_pulls=2)"},
      {"linear-sau-s", "linear(lambda=20,intercept=true)+sau_sampling(initial_pulls=2)"},
      {"linear-sau-ucb", "linear(lambda=20,intercept=true)+sau_ucb(initial_pulls=2)"},
      {"ts-diag", "linear_posterior(covariance=diagonal)+thompson"},
      {"ucb1", "sample_mean+ucb1"},
      {"uniform", "sample_mean+uniform"},
  };
  for (const auto& [alias, spec] : cases) {
    EXPECT_EQ(canonical_agent(alias), spec);
    EXPECT_EQ(canonical_agent(alias, 3), spec);
    EXPECT_EQ(canonical_agent(canonical_agent(alias)), spec);
  }
}

TEST(LinearAliases, AreReadInAnyCaseWithAndWithoutHyphens) {
  for (const char* text : {"LinearPosterior", "linear-posterior", "LINEARPOSTERIOR"}) {
    EXPECT_EQ(agent_name(text), "LinearPosterior");
  }
  EXPECT_EQ(agent_name("tsdiag"), "TSdiag");
  EXPECT_EQ(agent_name("ts-diag"), "TSdiag");
}

// The paper uses these names for both kinds of problems.
TEST(LinearAliases, MeanTheAgentForTheProblem) {
  EXPECT_EQ(canonical_agent("ts"), "beta_bernoulli+thompson");
  EXPECT_EQ(canonical_agent("ts", 5), "linear_posterior+thompson");
  EXPECT_EQ(canonical_agent("sau-ucb", 5), "linear+sau_ucb");
  EXPECT_EQ(canonical_agent("sau-sampling", 5), "linear+sau_sampling");
  EXPECT_EQ(agent_name("linear+sau_ucb", 5), "SAU-UCB");
  EXPECT_EQ(agent_name("linear+sau_ucb"), "linear+sau_ucb");
  EXPECT_EQ(agent_name("sample_mean+sau_ucb", 5), "sample_mean+sau_ucb");
  EXPECT_EQ(make_agent("ts", {.shape = {2, 5}, .stream = {}})->spec(), "linear_posterior+thompson");
  EXPECT_EQ(make_cell("linear-5-5", "TS", 0, 1).agent_spec, "linear_posterior+thompson");
  EXPECT_EQ(make_cell("bernoulli", "TS", 0, 1).agent_spec, "beta_bernoulli+thompson");
}

TEST(LinearExperiment, HasTheCellsOfFigureOneAndAppendixB) {
  const PaperPart part = paper_part("linear", 0);
  ASSERT_EQ(part.cells.size(), 28U);
  for (const Cell& cell : part.cells) {
    EXPECT_EQ(cell.steps, 20'000U);
    EXPECT_EQ(cell.trials, 100U);
    EXPECT_EQ(cell.problem.substr(0, 7), "linear-");
  }
  EXPECT_EQ(part.cells[8].problem_spec, "linear(dim=40)");
  EXPECT_EQ(part.cells[3].agent, "TSdiag");
}

TEST(WheelExperiment, ShowsNamesWithTheSettingsOfTheWheel) {
  const PaperPart part = paper_part("wheel", 3);
  ASSERT_EQ(part.cells.size(), 45U);
  EXPECT_EQ(part.cells[0].agent, "LinearPosterior");
  EXPECT_EQ(part.cells[0].agent_spec,
            "linear_posterior(lambda=20,a0=30,b0=35,intercept=true)+thompson(initial_pulls=2)");
  EXPECT_EQ(part.cells[0].problem, "wheel-0.50");
  EXPECT_EQ(part.cells[44].problem_spec, "wheel(delta=0.99)");
  EXPECT_EQ(part.cells[44].agent, "Uniform");
  EXPECT_EQ(part.cells[44].trials, 3U);
}

}  // namespace
}  // namespace sau
