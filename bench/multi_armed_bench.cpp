// Steps per second on one core, including the problem (items_per_second), some agents beside a
// naive version of themselves. Only the ratio of two lines of the same run means anything.

#include <benchmark/benchmark.h>

#include <string>

#include "naive_bandit.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/run/runner.hpp"

namespace {

constexpr std::uint64_t kSteps = 100'000;

void play_sau(benchmark::State& state, const char* agent) {
  // The best action is always the first. Its place decides how often a step finds a new maximum, so
  // times with different places could not be compared.
  const std::string problem = "bernoulli(actions=" + std::to_string(state.range(0)) + ",best=0)";
  const sau::Cell cell = sau::make_cell(problem, agent, kSteps, 1);
  const auto points = sau::curve_points(kSteps);
  sau::TrialRecord record;
  std::uint64_t trial = 0;
  for (auto _ : state) {
    sau::run_trial(cell, 1, trial++, points, nullptr, record);
    benchmark::DoNotOptimize(record.regret);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSteps));
}

void play_naive(benchmark::State& state, sau::bench::NaiveBandit::Kind kind) {
  sau::bench::NaiveBandit bandit(kind, static_cast<std::size_t>(state.range(0)), 0.1, 1);
  for (auto _ : state) benchmark::DoNotOptimize(bandit.play(kSteps));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSteps));
}

using Kind = sau::bench::NaiveBandit::Kind;

BENCHMARK_CAPTURE(play_naive, sau_ucb, Kind::kSauUcb)->Arg(10)->Arg(50);
BENCHMARK_CAPTURE(play_sau, sau_ucb, "sau_ucb")->Arg(10)->Arg(50);
BENCHMARK_CAPTURE(play_naive, sau_sampling, Kind::kSauSampling)->Arg(10)->Arg(50);
BENCHMARK_CAPTURE(play_sau, sau_sampling, "sau_sampling")->Arg(10)->Arg(50);
BENCHMARK_CAPTURE(play_sau, ucb1, "ucb1")->Arg(10)->Arg(50);
BENCHMARK_CAPTURE(play_sau, thompson, "thompson")->Arg(10)->Arg(50);
BENCHMARK_CAPTURE(play_sau, epsilon_greedy, "epsilon_greedy")->Arg(10)->Arg(50);

}  // namespace
