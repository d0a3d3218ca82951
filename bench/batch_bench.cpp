// Exact probabilities of 10,000 contexts, and single decisions, in C++. bench/python_overhead.py
// compares Python's times with these. It uses the same agents and exactly the same contexts.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <vector>

#include "sau/catalog/catalog.hpp"

namespace {

constexpr std::size_t kDim = 10;
constexpr sau::Action kActions = 10;
constexpr std::size_t kRows = 10'000;

std::vector<double> make_contexts() {
  std::vector<double> contexts(kRows * kDim);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    contexts[i] = std::sin(static_cast<double>(i * i % 100'003));
  }
  return contexts;
}

struct Player {
  explicit Player(const char* spec)
      : agent(sau::make_agent(spec, {.shape = {.actions = kActions, .dim = kDim},
                                     .stream = {.seed = 1, .role = sau::Role::kModel}})),
        rng(sau::Stream{.seed = 1, .role = sau::Role::kAgent}) {}

  void step(sau::Context x) {
    const sau::Choice made = agent->choose(x, rng);
    agent->learn(x, made, made.action == 3 ? x[0] : x[1]);
  }

  std::unique_ptr<sau::AnyAgent> agent;
  sau::Rng rng;
};

sau::Context row(const std::vector<double>& contexts, std::size_t i) {
  return {contexts.data() + i % kRows * kDim, kDim};
}

void probabilities(benchmark::State& state, const char* spec) {
  const auto contexts = make_contexts();
  Player player(spec);
  for (std::size_t i = 0; i < 1000; ++i) player.step(row(contexts, i));
  std::vector<double> out(kRows * kActions);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kRows; ++i) {
      player.agent->probabilities(row(contexts, i), std::span(out).subspan(i * kActions, kActions));
    }
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
}

void decisions(benchmark::State& state, const char* spec) {
  const auto contexts = make_contexts();
  Player player(spec);
  std::size_t i = 0;
  for (auto _ : state) player.step(row(contexts, i++));
  state.SetItemsProcessed(state.iterations());
}

#define SAU_BATCH_BENCH(name, spec)                                            \
  BENCHMARK_CAPTURE(probabilities, name, spec)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(decisions, name, spec)->Unit(benchmark::kNanosecond)

SAU_BATCH_BENCH(sau_ucb, "linear+sau_ucb");
SAU_BATCH_BENCH(sau_sampling, "linear+sau_sampling");
SAU_BATCH_BENCH(epsilon_greedy, "linear+epsilon_greedy");
SAU_BATCH_BENCH(thompson, "linear_posterior+thompson");

}  // namespace
