// The default agent, a committee, beside Neural-SAU-S, at the shapes of statlog, covertype, census
// and MNIST. Both take turns within one benchmark, and the cost is the median of the turns' ratios:
// absolute times change with the load of the machine, ratios do not.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <vector>

#include "median.hpp"
#include "player.hpp"

namespace sau::bench {
namespace {

constexpr int kTurns = 15;
constexpr Problem kMnist{784, 10, 0, 10000};

void judge(benchmark::State& state, double value, double most) {
  state.counters["most"] = most;
  state.SetLabel(value <= most ? "reached" : "MISSED");
}

void step_cost(benchmark::State& state, const Problem& problem, double most) {
  Player committee("sau", problem), network("Neural-SAU-S", problem);
  constexpr std::uint64_t kSteps = 400;
  for (std::uint64_t i = 0; i < 5 * kSteps; ++i) {
    committee.step();
    network.step();
  }
  std::vector<double> own, other, ratio;
  for (auto _ : state) {
    other.push_back(network.seconds(kSteps));
    own.push_back(committee.seconds(kSteps));
    ratio.push_back(own.back() / other.back());
    state.SetIterationTime(own.back());
  }
  state.counters["committee_us"] = 1e6 * median(own);
  state.counters["neural_sau_us"] = 1e6 * median(other);
  state.counters["ratio"] = median(ratio);
  judge(state, median(ratio), most);
}

// The time of the last steps of a trial compared with that of its first steps.
void late_over_early(benchmark::State& state, const Problem& problem) {
  constexpr std::uint64_t kPart = 2000;
  std::vector<double> ratio;
  for (auto _ : state) {
    Player player("sau", problem);
    for (int i = 0; i < 100; ++i) player.step();
    const double early = player.seconds(kPart);
    for (std::uint64_t i = kPart; i < problem.steps - kPart; ++i) player.step();
    const double late = player.seconds(kPart);
    ratio.push_back(late / early);
    state.SetIterationTime(late);
  }
  state.counters["late_over_early"] = median(ratio);
  judge(state, median(ratio), 1.1);
}

// What an agent has allocated after a trial, in MB, without the rows that it was given.
void memory(benchmark::State& state, const Problem& problem) {
  const auto allocated = [] {
    const auto info = ::mallinfo2();
    return 1e-6 * static_cast<double>(info.uordblks + info.hblkhd);
  };
  const auto used = [&](const char* spec) {
    const double before = allocated();
    Player player(spec, problem);
    for (std::uint64_t i = 0; i < problem.steps; ++i) player.step();
    return allocated() - before - 8e-6 * static_cast<double>(problem.steps * problem.dim);
  };
  for (auto _ : state) {
    state.counters["committee_mb"] = used("sau");
    state.counters["neural_sau_mb"] = used("Neural-SAU-S");
    state.SetIterationTime(1.0);
  }
}

template <class... Arguments>
void add(const char* name, int turns, Arguments... arguments) {
  benchmark::RegisterBenchmark(name, arguments...)
      ->Iterations(turns)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

const int kRegistered = [] {
  add("step_cost/statlog", kTurns, step_cost, kStatlog, 1.5);
  add("step_cost/covertype", kTurns, step_cost, kCovertype, 1.5);
  add("step_cost/census", kTurns, step_cost, kCensus, 2.2);
  add("step_cost/mnist", kTurns, step_cost, kMnist, 2.0);
  add("late_over_early/statlog", 3, late_over_early, kStatlog);
  add("late_over_early/covertype", 3, late_over_early, kCovertype);
  add("memory/statlog", 1, memory, kStatlog);
  add("memory/covertype", 1, memory, kCovertype);
  add("memory/census", 1, memory, kCensus);
  add("memory/mnist", 1, memory, kMnist);
  return 0;
}();

}  // namespace
}  // namespace sau::bench
