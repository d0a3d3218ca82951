#include <gtest/gtest.h>

#include "sau/catalog/catalog.hpp"

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
TEST(LinearAliases, DependOnWhetherTheProblemHasContexts) {
  EXPECT_EQ(canonical_agent("ts"), "beta_bernoulli+thompson");
  EXPECT_EQ(canonical_agent("ts", 5), "linear_posterior+thompson");
  EXPECT_EQ(canonical_agent("sau-ucb", 5), "linear+sau_ucb");
  EXPECT_EQ(canonical_agent("sau-sampling", 5), "linear+sau_sampling");
  EXPECT_EQ(agent_name("linear+sau_ucb", 5), "SAU-UCB");
  EXPECT_EQ(agent_name("linear+sau_ucb"), "linear+sau_ucb");
  EXPECT_EQ(agent_name("sample_mean+sau_ucb", 5), "sample_mean+sau_ucb");
  EXPECT_EQ(make_agent("ts", {.shape = {2, 5}, .stream = {}})->spec(), "linear_posterior+thompson");
}

}  // namespace
}  // namespace sau
