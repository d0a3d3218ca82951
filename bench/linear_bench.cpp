// The linear models against a fresh factorisation, at the sizes of covertype, mushroom and census.
// Both sides of a comparison take turns within one benchmark, and the speedup is the median of the
// turns' ratios: absolute times change with the load of the machine, ratios do not.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "linear_rival.hpp"
#include "median.hpp"
#include "sau/agent/agent.hpp"
#include "sau/explore/thompson.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/linear_posterior.hpp"

namespace sau::bench {
namespace {

constexpr int kTurns = 15;
constexpr std::size_t kContexts = 64;

// Contexts that repeat in a cycle, like the rows of a data set.
class Contexts {
 public:
  explicit Contexts(std::size_t dim) : dim_(dim), numbers_(kContexts * dim) {
    for (double& number : numbers_) number = rng_.normal();
  }
  Context next() noexcept {
    place_ = (place_ + 1) % kContexts;
    return {numbers_.data() + place_ * dim_, dim_};
  }
  double reward() noexcept { return rng_.normal(); }

 private:
  std::size_t dim_, place_ = 0;
  std::vector<double> numbers_;
  Rng rng_{Stream{.seed = 1}};
};

template <class F>
double seconds(std::uint64_t repeats, F&& f) {
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < repeats; ++i) f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
         static_cast<double>(repeats);
}

// Runs ours and theirs in turns, about 10 ms each per turn.
template <class Ours, class Theirs>
void compare(benchmark::State& state, double needed, Ours&& ours, Theirs&& theirs) {
  const auto ours_repeats = static_cast<std::uint64_t>(0.01 / seconds(20, ours)) + 1;
  const auto theirs_repeats = static_cast<std::uint64_t>(0.01 / seconds(5, theirs)) + 1;
  std::vector<double> own, other, ratio;
  for (auto _ : state) {
    other.push_back(seconds(theirs_repeats, theirs));
    own.push_back(seconds(ours_repeats, ours));
    ratio.push_back(other.back() / own.back());
    state.SetIterationTime(own.back());
  }
  state.counters["ours_us"] = 1e6 * median(own);
  state.counters["fresh_us"] = 1e6 * median(other);
  state.counters["speedup"] = median(ratio);
  state.counters["needed"] = needed;
  state.SetLabel(median(ratio) >= needed ? "reached" : "MISSED");
}

void rank_one_update(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  Contexts contexts(dim);
  Linear model({.shape = {.actions = 1, .dim = dim}, .stream = {}});
  FreshRidge fresh(1, dim, 1.0);
  compare(
      state, static_cast<double>(state.range(1)),
      [&] {
        const Context x = contexts.next();
        model.update(x, 0, contexts.reward());
        benchmark::DoNotOptimize(model.values(x)[0]);
      },
      [&] {
        const Context x = contexts.next();
        fresh.add(0, x, contexts.reward());
        benchmark::DoNotOptimize(fresh.solve(0, x));
      });
}
BENCHMARK(rank_one_update)
    ->Args({54, 8})
    ->Args({117, 13})
    ->Args({387, 20})
    ->ArgNames({"d", "needed"})
    ->Iterations(kTurns)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void thompson_step(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  const auto actions = static_cast<Action>(state.range(1));
  Contexts contexts(dim);
  const Setup setup{.shape = {.actions = actions, .dim = dim}, .stream = {}};
  Agent agent{LinearPosterior(setup), Thompson(setup)};
  FreshRidge fresh(actions, dim, 1.0);
  Rng rng(Stream{.seed = 2});
  std::vector<double> draw(actions);
  compare(
      state, static_cast<double>(state.range(2)),
      [&] {
        const Context x = contexts.next();
        agent.learn(x, agent.choose(x, rng), contexts.reward());
      },
      [&] {
        const Context x = contexts.next();
        for (Action a = 0; a < actions; ++a) {
          const double value = fresh.solve(a, x);
          draw[a] = value + std::sqrt(6.0 / rng.gamma(6.0) * fresh.form(a, x)) * rng.normal();
        }
        fresh.add(argmax(draw), x, contexts.reward());
      });
}
BENCHMARK(thompson_step)
    ->Args({54, 7, 15})
    ->Args({117, 2, 15})
    ->Args({387, 9, 35})
    ->ArgNames({"d", "K", "needed"})
    ->Iterations(kTurns)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// A step of a new agent against a step of an agent that has already played a long run.
void step_after_a_long_run(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  const auto steps = static_cast<std::uint64_t>(state.range(1));
  const Setup setup{.shape = {.actions = 5, .dim = dim}, .stream = {}};
  Contexts contexts(dim);
  Rng rng(Stream{.seed = 2});
  using LinearThompson = Agent<LinearPosterior, Thompson>;
  const auto play = [&](LinearThompson& agent, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const Context x = contexts.next();
      agent.learn(x, agent.choose(x, rng), contexts.reward());
    }
  };
  LinearThompson aged{LinearPosterior(setup), Thompson(setup)};
  play(aged, steps);
  constexpr std::uint64_t kBlock = 2'000;
  std::vector<double> ratio, late;
  for (auto _ : state) {
    LinearThompson young{LinearPosterior(setup), Thompson(setup)};
    play(young, 100);  // warms the caches
    const double early = seconds(1, [&] { play(young, kBlock); });
    play(aged, 100);
    late.push_back(seconds(1, [&] { play(aged, kBlock); }) / static_cast<double>(kBlock));
    ratio.push_back(late.back() * static_cast<double>(kBlock) / early);
    state.SetIterationTime(late.back());
  }
  state.counters["late_us"] = 1e6 * median(late);
  state.counters["late_over_early"] = median(ratio);
  state.counters["allowed"] = 1.2;
  state.SetLabel(median(ratio) <= 1.2 ? "reached" : "MISSED");
}
BENCHMARK(step_after_a_long_run)
    ->Args({9, 1'000'000})
    ->Args({54, 200'000})
    ->ArgNames({"d", "steps"})
    ->Iterations(kTurns)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sau::bench
