#include "sau/catalog/catalog.hpp"

namespace sau {
namespace {

// If the settings of the linear agents differ between data sets, these are the most common ones;
// the files in experiments/ have the others.
constexpr Alias kAgents[] = {
    {"Uniform", "sample_mean+uniform", "table 1"},
    {"UCB1", "sample_mean+ucb1", "appendix A.3"},
    {"TS", "beta_bernoulli+thompson", "appendix A.1, section 4.3", "linear_posterior+thompson"},
    {"TSdiag", "linear_posterior(covariance=diagonal)+thompson", "section 4.3"},
    {"SAU-UCB", "sample_mean+sau_ucb", "eq. 7", "linear+sau_ucb"},
    {"SAU-Sampling", "sample_mean+sau_sampling", "eq. 8", "linear+sau_sampling"},
    {"LinearPosterior",
     "linear_posterior(lambda=20,a0=35,b0=5,intercept=true)+thompson(initial_pulls=2)", "table 1"},
    {"LinearGreedy",
     "linear(lambda=20,intercept=true)+epsilon_greedy(epsilon=0.046,decay=0.93,initial_pulls=2)",
     "table 1"},
    {"Linear-SAU-S", "linear(lambda=20,intercept=true)+sau_sampling(initial_pulls=2)", "table 1"},
    {"Linear-SAU-UCB", "linear(lambda=20,intercept=true)+sau_ucb(initial_pulls=2)", "table 1"},
    {"NeuralGreedy", "mlp+epsilon_greedy(epsilon=0.046,decay=0.93,initial_pulls=2)", "table 1"},
    {"NeuralLinear", "neural_linear(every=40,lambda=1.5,a0=38,b0=1)+thompson(initial_pulls=2)",
     "table 1"},
    {"Neural-SAU-S", "mlp+sau_sampling(initial_pulls=2)", "table 1"},
    {"Neural-SAU-UCB", "mlp+sau_ucb(initial_pulls=2)", "table 1"},
    // Last, because without contexts it is SAU-UCB, and is displayed by that name.
    {"sau", "sample_mean+sau_ucb", "the default agent",
     "committee+sau_ucb(initial_pulls=2,pool=40,start=0)",
     "committee+sau_sampling(pool=1,start=0)"},
};

constexpr Alias kProblems[] = {
    {"bernoulli-10-0.1", "bernoulli", "appendix A.3, figure (a)"},
    {"bernoulli-50-0.1", "bernoulli(actions=50)", "appendix A.3, figure (b)"},
    {"bernoulli-10-0.02", "bernoulli(gap=0.02)", "appendix A.3, figure (c)"},
    {"bernoulli-50-0.02", "bernoulli(actions=50,gap=0.02)", "appendix A.3, text"},
    {"uniform-10-0.1", "bernoulli(rewards=uniform)", "appendix A.3, figure (d)"},
    {"linear-5-5", "linear", "section 4.3, figure 1a"},
    {"linear-20-5", "linear(actions=20)", "section 4.3, figure 1b"},
    {"linear-5-40", "linear(dim=40)", "section 4.3, figure 1c"},
    {"linear-gaussian-theta", "linear(theta=normal)", "appendix B, figure (a)"},
    {"linear-ar1-noise", "linear(errors=ar1)", "appendix B, figure (b)"},
    {"linear-ar1-context", "linear(contexts=ar1)", "appendix B, figure (c)"},
    {"linear-t2-context", "linear(contexts=student)", "appendix B, figure (d)"},
    {"wheel-0.50", "wheel", "appendix C"},
    {"wheel-0.70", "wheel(delta=0.7)", "appendix C"},
    {"wheel-0.90", "wheel(delta=0.9)", "appendix C"},
    {"wheel-0.95", "wheel(delta=0.95)", "appendix C"},
    {"wheel-0.99", "wheel(delta=0.99)", "appendix C"},
    {"mushroom", "dataset(name=mushroom)", "appendix D, table 1"},
    {"mushroom-fresh", "dataset(name=mushroom,outcomes=fresh)", "appendix D, text"},
    {"statlog", "dataset(name=statlog)", "appendix D, table 1"},
    {"covertype", "dataset(name=covertype)", "appendix D, table 1"},
    {"financial", "dataset(name=financial)", "appendix D, table 1"},
    {"jester", "dataset(name=jester)", "appendix D, table 1"},
    {"adult", "dataset(name=adult)", "appendix D, table 1"},
    {"census", "dataset(name=census)", "appendix D, table 1"},
    {"census-synthetic", "dataset(name=census_synthetic)", "not in the paper: made-up rows"},
};

}  // namespace

std::span<const Alias> agent_aliases() { return kAgents; }
std::span<const Alias> problem_aliases() { return kProblems; }

}  // namespace sau
