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
    {"LinUCB", "linear+lin_ucb", "not in the paper: Li et al. 2010"},
    {"Linear-UCB", "linear(lambda=20,intercept=true)+lin_ucb",
     "not in the paper: LinUCB with the ridge of Linear-SAU-UCB"},
    {"LinTS", "linear_posterior+thompson", "not in the paper: TS with contexts"},
    {"NeuralUCB",
     "neural_gradient(hidden=100,optimizer=adam,lr=0.001,input=disjoint)+lin_ucb(alpha=0.01)",
     "Zhou et al. 2020", "",
     "neural_gradient(hidden=100,optimizer=adam,lr=0.001)+lin_ucb(alpha=0.01)"},
    {"NeuralTS",
     "neural_gradient(hidden=100,optimizer=adam,lr=0.001,input=disjoint,nu=0.01)+thompson",
     "Zhang et al. 2021", "",
     "neural_gradient(hidden=100,optimizer=adam,lr=0.001,nu=0.01)+thompson"},
    {"LMC-TS", "langevin_mlp(hidden=100,optimizer=adam,lr=0.001,input=disjoint)+greedy",
     "Xu et al. 2022", "", "langevin_mlp(hidden=100,optimizer=adam,lr=0.001)+greedy"},
    // Last, because without contexts it is SAU-UCB, and is displayed by that name.
    {"sau", "sample_mean+sau_ucb", "the default agent", "committee+sau_ucb(pool=20,start=0)",
     "committee+sau_sampling(pool=1,start=0,prior=4,disagreement=0)"},
};

constexpr Alias kProblems[] = {
    {"bernoulli-10-0.1", "bernoulli(best=0)", "appendix A.3, figure (a)"},
    {"bernoulli-50-0.1", "bernoulli(actions=50,best=0)", "appendix A.3, figure (b)"},
    {"bernoulli-10-0.02", "bernoulli(gap=0.02,best=0)", "appendix A.3, figure (c)"},
    {"bernoulli-50-0.02", "bernoulli(actions=50,gap=0.02,best=0)", "appendix A.3, text"},
    {"uniform-10-0.1", "bernoulli(best=0,rewards=uniform)", "appendix A.3, figure (d)"},
    {"changing-0",
     "piecewise(means=0.1x0.2x0.1x0.3x0.5x0.3x0.4x0.3x0.3x0.9,changes=1000x2000x3000x4"
     "000,steps=5000)",
     "SMPyBandits, non-stationary problem 0"},
    {"changing-1",
     "piecewise(means=0.3x0.5x0.9x0.3x0.2x0.9x0.3x0.2x0.1x0.7x0.2x0.1x0.7x0.5x0.1,chan"
     "ges=1000x2000x3000x4000,steps=5000)",
     "SMPyBandits, non-stationary problem 1"},
    {"changing-2",
     "piecewise(means=0.4x0.5x0.9x0.5x0.4x0.7x0.6x0.3x0.5x0.7x0.2x0.3x0.8x0.1x0.1,chan"
     "ges=1000x2000x3000x4000,steps=5000)",
     "SMPyBandits, non-stationary problem 2"},
    {"changing-3",
     "piecewise(means=0.1x0.2x0.9x0.4x0.9x0.1x0.5x0.1x0.2x0.2x0.2x0.3,changes=1250x250"
     "0x3750,steps=5000)",
     "SMPyBandits, non-stationary problem 3"},
    {"changing-4",
     "piecewise(means=0.1x0.5x0.9x0.3x0.4x0.1x0.5x0.3x0.2x0.7x0.4x0.3x0.1x0.5x0.2,chan"
     "ges=2500x3125x3750x4375,steps=5000)",
     "SMPyBandits, non-stationary problem 4"},
    {"changing-5",
     "piecewise(means=0.071x0.041x0.032x0.03x0.02x0.011x0.055x0.053x0.032x0.03x0.008x0"
     ".011x0.04x0.063x0.032x0.03x0.008x0.011x0.04x0.042x0.043x0.03x0.008x0.011x0.03x0."
     "032x0.055x0.03x0.008x0.011x0.03x0.032x0.02x0.03x0.008x0.021x0.02x0.022x0.02x0.04"
     "5x0.008x0.021x0.02x0.022x0.02x0.057x0.008x0.011x0.02x0.022x0.034x0.057x0.022x0.0"
     "11,changes=11111x22222x33333x44444x55555x66666x77777x88888,steps=100000)",
     "SMPyBandits, non-stationary problem 5"},
    {"linear-5-5", "linear", "section 4.3, figure 1a"},
    {"linear-20-5", "linear(actions=20)", "section 4.3, figure 1b"},
    {"linear-5-40", "linear(dim=40)", "section 4.3, figure 1c"},
    {"linear-gaussian-theta", "linear(theta=normal)", "appendix B, figure (a)"},
    {"linear-ar1-noise", "linear(errors=ar1)", "appendix B, figure (b)"},
    {"linear-ar1-context", "linear(contexts=ar1)", "appendix B, figure (c)"},
    {"linear-t2-context", "linear(contexts=student)", "appendix B, figure (d)"},
    {"wheel-0.50", "wheel(best=0)", "appendix C"},
    {"wheel-0.70", "wheel(delta=0.7,best=0)", "appendix C"},
    {"wheel-0.90", "wheel(delta=0.9,best=0)", "appendix C"},
    {"wheel-0.95", "wheel(delta=0.95,best=0)", "appendix C"},
    {"wheel-0.99", "wheel(delta=0.99,best=0)", "appendix C"},
    {"adult-unit", "dataset(name=adult_income,length=unit)", "not in the paper: the rivals' form"},
    {"covertype-unit", "dataset(name=covertype,length=unit)", "not in the paper: the rivals' form"},
    {"magic-unit", "dataset(name=magic,length=unit)", "not in the paper: the rivals' form"},
    {"mnist-unit", "dataset(name=mnist,length=unit)", "not in the paper: the rivals' form"},
    {"mushroom-unit", "dataset(name=mushroom,outcomes=class,length=unit)",
     "not in the paper: the rivals' form"},
    {"shuttle-unit", "dataset(name=statlog,length=unit)", "not in the paper: the rivals' form"},
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

constexpr OtherName kOtherNames[] = {
    {"ucb", "ucb1"},
    {"random", "uniform"},
    {"e_greedy", "epsilon_greedy"},
    {"eps_greedy", "epsilon_greedy"},
    {"boltzmann", "softmax"},
    {"thompson_sampling", "thompson"},
    {"linear_ts", "LinTS"},
    {"sau_s", "sau_sampling"},
    {"ridge", "linear"},
    {"neural_network", "mlp"},
};

}  // namespace

std::span<const OtherName> other_component_names() { return kOtherNames; }
std::span<const Alias> agent_aliases() { return kAgents; }
std::span<const Alias> problem_aliases() { return kProblems; }

}  // namespace sau
