// Joint agents: 10 context features, 10 actions with 10 features each (110 crosses per action,
// including those of its id), after a thousand events with such actions, drawn from 200.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/text.hpp"

namespace sau::bench {
namespace {

constexpr std::size_t kActions = 10, kFeatures = 10;

// Requests that differ from each other, as in a service.
class Requests {
 public:
  void next() {
    context_.clear();
    for (std::size_t i = 0; i < kFeatures; ++i) {
      context_.push_back(i < 5 ? indicator("c" + std::to_string(i), 20)
                               : HashedFeature{scope_of("x" + std::to_string(i)),
                                               static_cast<float>(rng_.normal())});
    }
    for (std::size_t a = 0; a < kActions; ++a) {
      ids_[a] = "action " + std::to_string(20 * a + rng_.below(20));
      features_[a].clear();
      for (std::size_t i = 0; i < kFeatures; ++i) {
        features_[a].push_back(indicator("f" + std::to_string(i), 50));
      }
      actions_[a] = {ids_[a], features_[a], false};
    }
  }
  HashedFeatures context() const { return context_; }
  std::span<const OfferedAction> actions() const { return actions_; }
  double reward() { return rng_.uniform() < 0.2 ? 1.0 : 0.0; }

 private:
  HashedFeature indicator(const std::string& name, std::uint64_t values) {
    return {scope_of(name + "=" + std::to_string(rng_.below(values))), 1.0F};
  }

  Rng rng_{Stream{.seed = 1}};
  std::vector<HashedFeature> context_;
  std::vector<std::string> ids_ = std::vector<std::string>(kActions);
  std::vector<std::vector<HashedFeature>> features_ =
      std::vector<std::vector<HashedFeature>>(kActions);
  std::vector<OfferedAction> actions_ = std::vector<OfferedAction>(kActions);
};

struct Trained {
  explicit Trained(const char* spec) : agent(make_offer_agent(spec, 1)) {
    for (std::size_t i = 0; i < 1000; ++i) learn(i);
  }
  void learn(std::size_t i) {
    requests.next();
    agent->learn(requests.context(), requests.actions()[i % kActions], 0.2, requests.reward());
  }

  Requests requests;
  std::unique_ptr<OfferAgent> agent;
};

void decide(benchmark::State& state, const char* spec) {
  Trained trained(spec);
  const auto copy = trained.agent->published();
  std::vector<Requests> requests(64);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) requests[i].next();
  }
  std::vector<Forecast> out(kActions);
  std::size_t next = 0;
  for (auto _ : state) {
    const Requests& request = requests[next++ % requests.size()];
    copy->decide(request.context(), request.actions(), 0.2, out);
    benchmark::DoNotOptimize(out.data());
  }
}

void learn(benchmark::State& state, const char* spec) {
  Trained trained(spec);
  std::vector<Requests> requests(64);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) requests[i].next();
  }
  std::size_t next = 0;
  for (auto _ : state) {
    Requests& request = requests[next++ % requests.size()];
    trained.agent->learn(request.context(), request.actions()[next % kActions], 0.2,
                         request.reward());
  }
}

// Times only making the copy, after range(0) events, not freeing the previous copy.
void publish(benchmark::State& state, const char* spec) {
  Trained trained(spec);
  std::shared_ptr<const OfferAgent> copy;
  std::size_t event = 0;
  for (auto _ : state) {
    state.PauseTiming();
    for (std::int64_t i = 0; i < state.range(0); ++i) trained.learn(event++);
    copy.reset();
    state.ResumeTiming();
    copy = trained.agent->published();
    benchmark::DoNotOptimize(copy);
  }
}

#define SAU_JOINT_BENCH(model, spec)                                        \
  BENCHMARK_CAPTURE(decide, model##_sampling, spec "+sau_sampling")         \
      ->Unit(benchmark::kMicrosecond);                                      \
  BENCHMARK_CAPTURE(decide, model##_epsilon_greedy, spec "+epsilon_greedy") \
      ->Unit(benchmark::kMicrosecond);                                      \
  BENCHMARK_CAPTURE(learn, model, spec)->Unit(benchmark::kMicrosecond);     \
  BENCHMARK_CAPTURE(publish, model, spec)->Arg(1)->Arg(100)->Unit(benchmark::kMicrosecond)

SAU_JOINT_BENCH(hashed_linear, "hashed_linear");
SAU_JOINT_BENCH(hashed_mlp, "hashed_mlp");
SAU_JOINT_BENCH(committee, "committee");

}  // namespace
}  // namespace sau::bench
