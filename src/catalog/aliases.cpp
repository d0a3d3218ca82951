#include "sau/catalog/catalog.hpp"

namespace sau {
namespace {

constexpr Alias kAgents[] = {
    {"Uniform", "sample_mean+uniform", "table 1"},
    {"UCB1", "sample_mean+ucb1", "appendix A.3"},
    {"TS", "beta_bernoulli+thompson", "appendix A.1"},
    {"SAU-UCB", "sample_mean+sau_ucb", "eq. 7"},
    {"SAU-Sampling", "sample_mean+sau_sampling", "eq. 8"},
};

constexpr Alias kProblems[] = {
    {"bernoulli-10-0.1", "bernoulli", "appendix A.3, figure (a)"},
    {"bernoulli-50-0.1", "bernoulli(actions=50)", "appendix A.3, figure (b)"},
    {"bernoulli-10-0.02", "bernoulli(gap=0.02)", "appendix A.3, figure (c)"},
    {"bernoulli-50-0.02", "bernoulli(actions=50,gap=0.02)", "appendix A.3, text"},
    {"uniform-10-0.1", "bernoulli(rewards=uniform)", "appendix A.3, figure (d)"},
};

}  // namespace

std::span<const Alias> agent_aliases() { return kAgents; }
std::span<const Alias> problem_aliases() { return kProblems; }

}  // namespace sau
