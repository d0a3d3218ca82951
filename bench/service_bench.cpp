// The service without HTTP: the cost of a rank, of each step and in total.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "sau/core/argmax_probabilities.hpp"
#include "sau/serve/service.hpp"

namespace sau {
namespace {

constexpr const char* kAgent = "hashed_linear+sau_sampling";  // the quickest one

// Ten context features, ten actions with ten features each.
std::string request_body(std::uint64_t event) {
  std::string body = fmt::format(R"({{"eventId":"bench-{:012}","contextFeatures":[{{)", event);
  for (int i = 0; i < 10; ++i) {
    body += fmt::format(fmt::runtime(i % 2 == 0 ? R"({}"c{}":{})" : R"({}"c{}":"v{}")"),
                        i > 0 ? "," : "", i, (event * 7 + static_cast<std::uint64_t>(i)) % 13 + 1);
  }
  body += R"(}],"actions":[)";
  for (int a = 0; a < 10; ++a) {
    body += fmt::format(R"({}{{"id":"action-{}","features":[{{)", a > 0 ? "," : "", a);
    for (int i = 0; i < 10; ++i) {
      body += fmt::format(fmt::runtime(i % 2 == 0 ? R"({}"f{}":{})" : R"({}"f{}":"w{}")"),
                          i > 0 ? "," : "", i, a * 3 + i + 1);
    }
    body += "}]}";
  }
  return body + "]}";
}

void BM_ReadRequest(benchmark::State& state) {
  const std::string body = request_body(1);
  for (auto _ : state) benchmark::DoNotOptimize(read_rank_request(body, {}));
  state.SetBytesProcessed(static_cast<std::int64_t>(body.size()) * state.iterations());
}
BENCHMARK(BM_ReadRequest);

void BM_Encode(benchmark::State& state) {
  Decision decision;
  decision.event_id = "bench";
  decision.actions.resize(10);
  decision.request = request_body(1);
  for (auto _ : state) benchmark::DoNotOptimize(encode(decision));
}
BENCHMARK(BM_Encode);

void BM_Decide(benchmark::State& state) {
  const auto agent = make_offer_agent(kAgent, 1);
  const RankRequest request = read_rank_request(request_body(1), {}).value();
  std::vector<OfferedAction> offered;
  for (std::size_t i = 0; i < request.actions.size(); ++i) offered.push_back(request.offered(i));
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    agent->learn(request.context(), offered[static_cast<std::size_t>(i % 10)], 0.5,
                 i % 10 == 3 ? 0.7 : 0.5);
  }
  const auto model = agent->published();
  std::vector<Forecast> out(offered.size());
  for (auto _ : state) {
    model->decide(request.context(), offered, 0.2, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_Decide)->Arg(0)->Arg(100)->Arg(10000);

// Whole events, synced to disk, with many in flight as over HTTP.
void BM_Service(benchmark::State& state) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("sau-bench-{}", ::getpid());
  std::filesystem::remove_all(folder);
  {
    ServiceOptions options;
    options.folder = folder;
    options.agent = kAgent;
    Service service(options);
    const bool reward = state.range(0) != 0;
    std::vector<std::string> bodies;
    constexpr std::uint64_t kBodies = 100'000, kInFlight = 1000;
    for (std::uint64_t i = 0; i < kBodies; ++i) bodies.push_back(request_body(i));
    std::mutex mutex;
    std::condition_variable done;
    std::uint64_t open = 0, next = 0;
    const auto finished = [&] {
      const std::lock_guard lock(mutex);
      --open;
      done.notify_one();
    };
    for (auto _ : state) {
      if (next == kBodies) {
        state.SkipWithError("no more requests were prepared");
        break;
      }
      {
        std::unique_lock lock(mutex);
        done.wait(lock, [&] { return open < kInFlight; });
        ++open;
      }
      service.rank(std::move(bodies[next++]), [&](const Result<RankAnswer>& answer) {
        if (!reward) return finished();
        service.reward(answer.value().event_id, R"({"value":0.5})",
                       [&](const Status&) { finished(); });
      });
    }
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return open == 0; });
    lock.unlock();
    state.SetItemsProcessed(static_cast<std::int64_t>(next));
  }
  std::filesystem::remove_all(folder);
}
BENCHMARK(BM_Service)->Arg(0)->Arg(1)->ArgName("reward")->Iterations(50'000)->UseRealTime();

}  // namespace
}  // namespace sau
