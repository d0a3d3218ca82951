#include <iostream>

#include "sau/agent/agent.hpp"
#include "sau/agent/play.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/version.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "sau/model/sample_mean.hpp"

namespace {

constexpr std::uint64_t kSteps = 1000;

struct RegretSum {
  double regret = 0.0;
  bool step(sau::Action, double, double step_regret) {
    regret += step_regret;
    return true;
  }
};

// The same trial for any agent: A is AnyAgent or an Agent<Model, Strategy>.
template <class A>
double play(sau::Problem& problem, A& agent) {
  const sau::Stream stream{.seed = 1};
  sau::Streams rng{sau::Rng(stream), sau::Rng(stream.with(sau::Role::kAgent))};
  RegretSum record;
  sau::play(problem, agent, rng, kSteps, record);
  return record.regret;
}

}  // namespace

int main() {
  std::cout << "sau " << sau::version() << " (" << sau::commit() << ", " << sau::compiler()
            << ")\n";
  const auto problem = sau::make_problem("bernoulli(actions=5,gap=0.2)", {});
  const sau::Setup setup{.shape = problem->shape(), .stream = {}};
  const auto named = sau::make_agent("sau_ucb", setup);
  sau::Agent typed{sau::SampleMean{setup}, sau::SauUcb{setup}};
  const double by_name = play(*problem, *named);
  const double by_type = play(*problem, typed);
  std::cout << named->spec() << ": regret " << by_name << " by name, " << by_type << " by type\n";
  return by_name == by_type && by_name < 0.5 * 0.16 * kSteps ? 0 : 1;
}
