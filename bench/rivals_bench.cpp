// A step of every rival beside one of Neural-SAU-S, at the shapes of statlog and MNIST. Both take
// turns within one benchmark, and the cost is the median of the turns' ratios. A rival's network
// trains as Neural-SAU's does, unless its name says that it trains often.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "median.hpp"
#include "player.hpp"

namespace sau::bench {
namespace {

constexpr int kTurns = 5;
// A fifth of the pixels of a digit are not 0.
constexpr Problem kDigits{.dim = 784, .actions = 10, .groups = 0, .steps = 2000, .filled = 0.19};
constexpr Problem kShuttle{.dim = 9, .actions = 7, .groups = 0, .steps = 2000};

// 50 steps of gradient descent on one row each, at every step. The released code of NeuralTS takes
// 100 steps on the whole history.
const std::string kOften = "optimizer=sgd,lr=0.01,batch=1,every=1,start=1,updates=50";

void beside_neural_sau(benchmark::State& state, const Problem& problem, const std::string& spec,
                       const std::string& neural_sau) {
  Player rival(spec.c_str(), problem), own(neural_sau.c_str(), problem);
  constexpr std::uint64_t kSteps = 40;
  for (std::uint64_t i = 0; i < 3 * kSteps; ++i) {
    rival.step();
    own.step();
  }
  std::vector<double> rivals, owns, ratio;
  for (auto _ : state) {
    owns.push_back(own.seconds(kSteps));
    rivals.push_back(rival.seconds(kSteps));
    ratio.push_back(rivals.back() / owns.back());
    state.SetIterationTime(rivals.back());
  }
  state.counters["rival_us"] = 1e6 * median(rivals);
  state.counters["neural_sau_us"] = 1e6 * median(owns);
  state.counters["ratio"] = median(ratio);
}

const int kRegistered = [] {
  const std::string shared = "Neural-SAU-S";
  const std::string blocks = "mlp(hidden=100,input=disjoint)+sau_sampling(initial_pulls=2)";
  const struct {
    const char* name;
    std::string spec;
    std::string beside;
  } rivals[] = {
      {"neural_ts", "neural_gradient(hidden=100,input=disjoint)+thompson", blocks},
      {"neural_ucb", "neural_gradient(hidden=100,input=disjoint)+lin_ucb", blocks},
      {"neural_ts, trains often",
       "neural_gradient(hidden=100,input=disjoint," + kOften + ")+thompson", shared},
      {"lmc_ts", "langevin_mlp(hidden=100,input=disjoint)+greedy", blocks},
      {"squarecb", "mlp+squarecb", shared},
      {"softmax", "mlp+softmax", shared},
      {"bootstrap", "bootstrap(model=mlp)+thompson(initial_pulls=2)", shared},
      {"neural_sau, blocks", blocks, shared},
  };
  for (const auto& [shape, problem] : {std::pair{"statlog", kShuttle}, {"mnist", kDigits}}) {
    for (const auto& [name, spec, beside] : rivals) {
      benchmark::RegisterBenchmark((std::string(shape) + "/" + name).c_str(), beside_neural_sau,
                                   problem, spec, beside)
          ->Iterations(kTurns)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return 0;
}();

}  // namespace
}  // namespace sau::bench
