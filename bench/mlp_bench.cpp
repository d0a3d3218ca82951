// The deep agents against plain Eigen, at the shapes of statlog, covertype and census. Both sides
// of a comparison take turns within one benchmark, and the speedup is the median of the turns'
// ratios: absolute times change with the load of the machine, ratios do not.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "cpu_seconds.hpp"
#include "data_rows.hpp"
#include "median.hpp"
#include "mlp_rival.hpp"
#include "sau/agent/agent.hpp"
#include "sau/core/argmax.hpp"
#include "sau/explore/sau_sampling.hpp"
#include "sau/model/mlp.hpp"

namespace sau::bench {
namespace {

constexpr int kTurns = 15;

class Ours {
 public:
  explicit Ours(const Problem& problem)
      : rows_(problem),
        setup_{.shape = {.actions = problem.actions, .dim = problem.dim}, .stream = {}},
        agent_(Mlp(setup_), SauSampling(setup_, {.initial_pulls = 2})) {}

  void step() noexcept {
    const Context x = rows_.next();
    const Choice made = agent_.choose(x, rng_);
    agent_.learn(x, made, rows_.reward());
  }

 private:
  Rows rows_;
  Setup setup_;
  Agent<Mlp, SauSampling> agent_;
  Rng rng_{Stream{.seed = 2, .role = Role::kAgent}};
};

class Theirs {
 public:
  explicit Theirs(const Problem& problem)
      : rows_(problem),
        actions_(problem.actions),
        network_(problem.dim, problem.actions, 100, 1),
        strategy_({.shape = {.actions = problem.actions, .dim = problem.dim}, .stream = {}},
                  {.initial_pulls = 2}) {}

  void step() {
    const Context x = rows_.next();
    Values values{network_.values(x)};
    const Choice made = strategy_.choose(values, x, rng_);
    const double reward = rows_.reward();
    strategy_.observe(made.action, reward - made.value);
    network_.remember(x, made.action, reward);
    if (++steps_ >= 40 && steps_ % 20 == 0) {
      for (int i = 0; i < 10; ++i) train();
    }
  }
  void train() {
    for (std::uint64_t& row : drawn_) row = rng_.below(steps_);
    network_.train(drawn_, 0.003F);
  }

 private:
  // Lets our strategy use their values, so that both sides have the same strategy.
  struct Values {
    explicit Values(std::span<const float> from) : value(from.begin(), from.end()) {}
    struct Options {
      void fields(auto&&) {}
    };
    static constexpr std::string_view kName = "values", kSummary = "";
    static constexpr bool kUsesContext = true;
    static constexpr RewardRange kRewards{};
    Values(const Setup&, const Options&) {}
    std::span<const double> values(Context) noexcept { return value; }
    void update(Context, Action, double) noexcept {}
    static void state(auto&, auto&&) {}
    std::vector<double> value;
  };

  Rows rows_;
  Action actions_;
  EigenMlp network_;
  Explorer<SauSampling> strategy_;
  Rng rng_{Stream{.seed = 2, .role = Role::kAgent}};
  std::uint64_t steps_ = 0;
  std::vector<std::uint64_t> drawn_ = std::vector<std::uint64_t>(64);
};

// The CPU time of one repeat.
template <class F>
double seconds(std::uint64_t repeats, F&& f) {
  const auto all = [&] {
    for (std::uint64_t i = 0; i < repeats; ++i) f();
  };
  return cpu_seconds(all) / static_cast<double>(repeats);
}

template <class F>
double wall_seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void judge(benchmark::State& state, double value, double needed) {
  state.counters["needed"] = needed;
  state.SetLabel(value >= needed ? "reached" : "MISSED");
}

// A whole step of Neural-SAU-Sampling: choose, learn, and ten mini-batches every twenty steps.
void whole_step(benchmark::State& state, const Problem& problem, double needed) {
  Ours ours(problem);
  Theirs theirs(problem);
  constexpr std::uint64_t kSteps = 400;
  for (std::uint64_t i = 0; i < 5 * kSteps; ++i) {
    ours.step();
    theirs.step();
  }
  std::vector<double> own, other, ratio;
  for (auto _ : state) {
    other.push_back(seconds(kSteps, [&] { theirs.step(); }));
    own.push_back(seconds(kSteps, [&] { ours.step(); }));
    ratio.push_back(other.back() / own.back());
    state.SetIterationTime(own.back());
  }
  state.counters["ours_us"] = 1e6 * median(own);
  state.counters["eigen_us"] = 1e6 * median(other);
  state.counters["speedup"] = median(ratio);
  judge(state, median(ratio), needed);
}

// The floating-point operations of a mini-batch of 64 as a textbook counts them: two products for
// the first layer, three for the second, three for the chosen action's output.
double batch_flops(const Problem& problem) {
  const auto dim = static_cast<double>(problem.dim);
  return 2.0 * 64.0 * (2.0 * dim * 100.0 + 3.0 * 100.0 * 100.0 + 3.0 * 100.0);
}

struct Trained {
  explicit Trained(const Problem& problem)
      : rng(Stream{.seed = 3}),
        network({.actions = problem.actions, .dim = problem.dim}, kHidden, rng,
                mlp_kernel(instruction_set())),
        trainer(network, false, 64),
        scratch(network),
        history(problem.dim, 0),
        batch(64, problem.dim),
        input(problem.dim),
        rows(problem) {
    for (std::size_t i = 0; i < problem.steps; ++i) {
      input.put(rows.next(), mlp_kernel(instruction_set()));
      history.add(input, static_cast<Action>(rng.below(problem.actions)), rows.reward());
    }
  }
  void update() noexcept {
    history.draw(rng, batch);
    trainer.train(network, batch,
                  {.rate = 0.003F, .keep2 = 0.99F, .take2 = 0.01F, .epsilon = 1e-8F});
  }
  static constexpr std::size_t kHidden[] = {100, 100};
  Rng rng;
  Network network;
  NetworkTrainer trainer;
  Network::Scratch scratch;
  Replay history;
  Batch batch;
  NetworkInput input;
  Rows rows;
};

// Drawing a mini-batch and learning from it, compared with the machine's peak.
void mini_batch(benchmark::State& state, const Problem& problem, double needed) {
  Trained trained(problem);
  std::vector<double> own, share;
  for (auto _ : state) {
    const double peak = fma_peak();
    own.push_back(seconds(300, [&] { trained.update(); }));
    share.push_back(100.0 * batch_flops(problem) / own.back() / peak);
    state.counters["peak_gflops"] = 1e-9 * peak;
    state.SetIterationTime(own.back());
  }
  state.counters["update_us"] = 1e6 * median(own);
  state.counters["percent_of_peak"] = median(share);
  judge(state, median(share), needed);
}

void single_row(benchmark::State& state) {
  Trained trained(kStatlog);
  std::vector<double> own, ratio;
  for (auto _ : state) {
    const double update = seconds(300, [&] { trained.update(); });
    own.push_back(seconds(5000, [&] {
      trained.input.put(trained.rows.next(), mlp_kernel(instruction_set()));
      benchmark::DoNotOptimize(trained.network.forward(trained.input, trained.scratch).data());
    }));
    ratio.push_back(update / own.back());
    state.SetIterationTime(own.back());
  }
  state.counters["ours_us"] = 1e6 * median(own);
  state.counters["update_over_row"] = median(ratio);
  judge(state, median(ratio), 60.0);
}

// Steps per second of two trials on two threads, divided by those of one trial on one thread.
void two_trials(benchmark::State& state) {
  constexpr std::uint64_t kSteps = 4000;
  std::vector<double> ratio;
  for (auto _ : state) {
    Ours one(kStatlog), two(kStatlog), third(kStatlog);
    const double alone = wall_seconds([&] {
      for (std::uint64_t i = 0; i < kSteps; ++i) one.step();
    });
    const double both = wall_seconds([&] {
      std::thread other([&] {
        for (std::uint64_t i = 0; i < kSteps; ++i) two.step();
      });
      for (std::uint64_t i = 0; i < kSteps; ++i) third.step();
      other.join();
    });
    ratio.push_back(2.0 * alone / both);
    state.SetIterationTime(both);
  }
  state.counters["throughput"] = median(ratio);
  judge(state, median(ratio), 1.7);
}

// The time of the last steps of a trial compared with that of its first steps.
void late_over_early(benchmark::State& state, const Problem& problem) {
  constexpr std::uint64_t kPart = 2000;
  std::vector<double> ratio;
  for (auto _ : state) {
    Ours agent(problem);
    for (int i = 0; i < 100; ++i) agent.step();
    const double early = seconds(kPart, [&] { agent.step(); });
    for (std::uint64_t i = kPart; i < problem.steps - kPart; ++i) agent.step();
    const double late = seconds(kPart, [&] { agent.step(); });
    ratio.push_back(early / late);
    state.SetIterationTime(late);
  }
  state.counters["early_over_late"] = median(ratio);
  judge(state, median(ratio), 1.0 / 1.1);
}

void turns(benchmark::internal::Benchmark* benchmark, int count) {
  benchmark->Iterations(count)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

const int kRegistered = [] {
  turns(benchmark::RegisterBenchmark("mini_batch/statlog", mini_batch, kStatlog, 60.0), kTurns);
  turns(benchmark::RegisterBenchmark("mini_batch/covertype", mini_batch, kCovertype, 60.0), kTurns);
  turns(benchmark::RegisterBenchmark("mini_batch/census", mini_batch, kCensus, 0.0), kTurns);
  turns(benchmark::RegisterBenchmark("whole_step/statlog", whole_step, kStatlog, 1.8), kTurns);
  turns(benchmark::RegisterBenchmark("whole_step/covertype", whole_step, kCovertype, 1.7), kTurns);
  turns(benchmark::RegisterBenchmark("whole_step/census", whole_step, kCensus, 2.2), kTurns);
  turns(benchmark::RegisterBenchmark("single_row/statlog", single_row), kTurns);
  turns(benchmark::RegisterBenchmark("two_trials/statlog", two_trials), 5);
  turns(benchmark::RegisterBenchmark("late_over_early/statlog", late_over_early, kStatlog), 5);
  turns(benchmark::RegisterBenchmark("late_over_early/covertype", late_over_early, kCovertype), 5);
  turns(benchmark::RegisterBenchmark("late_over_early/census", late_over_early, kCensus), 5);
  return 0;
}();

}  // namespace
}  // namespace sau::bench
