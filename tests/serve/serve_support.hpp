#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sau/serve/service.hpp"
#include "serve/faulty_store.hpp"
#include "support/temporary_folder.hpp"

namespace sau::testing {

// A request with three actions and a context of one feature.
inline std::string simple_request(const std::string& event, const std::string& more = "") {
  return fmt::format(R"({{"contextFeatures":[{{"hour":"{}"}}],)"
                     R"("actions":[{{"id":"a","features":[{{"kind":"news"}}]}},)"
                     R"({{"id":"b","features":[{{"kind":"sport"}}]}},)"
                     R"({{"id":"c","features":[{{"price":2.5}}]}}],"eventId":"{}"{}}})",
                     event.size() % 3, event, more);
}

// A service whose clock and disk the test controls. Calls wait for the answer.
class TestService {
 public:
  explicit TestService(std::string agent = "hashed_linear(bits=10)+sau_sampling")
      : agent_(std::move(agent)), disk_(std::make_shared<Disk>()) {
    start();
  }

  void start() {
    ServiceOptions options;
    options.folder = folder_ / "data";
    options.agent = agent_;
    options.limits = limits;
    options.queue = queue;
    options.snapshot_every = snapshot_every;
    options.version_every = version_every;
    options.clock = [this] { return time.load() + clock_error.load(); };
    options.steady_clock = [this] { return time.load(); };
    options.store = [disk = disk_](const std::filesystem::path& folder) {
      return std::make_unique<FaultyStore>(open_event_store(folder, {.sync = false}), disk);
    };
    options.note = [this](const std::string& note) {
      if (throwing_notes) throw std::bad_alloc();
      const std::lock_guard lock(notes_mutex_);
      notes_ += note + "\n";
    };
    service_ = std::make_unique<Service>(std::move(options));
  }
  // Restarts without model.sau, so that the model is rebuilt from the log.
  void restart_without_snapshot() {
    const auto snapshot = folder_ / "data/model.sau";
    service_.reset();
    std::filesystem::remove(snapshot);
    start();
  }
  void restart() {
    service_.reset();
    start();
  }

  Result<RankAnswer> rank(const std::string& body) {
    return answered<RankAnswer>([&](auto done) { service_->rank(body, done); });
  }
  Status reward(const std::string& event, double value) {
    return answered<Done>(
        [&](auto done) { service_->reward(event, fmt::format("{{\"value\":{}}}", value), done); });
  }
  Status activate(const std::string& event) {
    return answered<Done>([&](auto done) { service_->activate(event, done); });
  }
  Result<Configuration> configure(const std::string& json) {
    return answered<Configuration>([&](auto done) { service_->configure(json, done); });
  }
  Status load_model(const std::string& bytes) {
    return answered<Done>([&](auto done) { service_->load_model(bytes, done); });
  }
  Status reset_model() {
    return answered<Done>([&](auto done) { service_->reset_model(done); });
  }

  Status roll_back(Sequence version) {
    return answered<Done>([&](auto done) { service_->roll_back(version, done); });
  }

  Result<Policy> set_policy(const std::string& name, const std::string& agent) {
    const nlohmann::json json = {{"name", name}, {"arguments", agent}};
    return answered<Policy>([&](auto done) { service_->set_policy(json.dump(), done); });
  }
  Result<Policy> reset_policy() {
    return answered<Policy>([&](auto done) { service_->reset_policy(done); });
  }
  Result<Policy> apply_trained(const Policy& policy) {
    return answered<Policy>([&](auto done) { service_->apply_trained(policy, done); });
  }
  Result<SlotsAnswer> rank_slots(const nlohmann::json& request) {
    return answered<SlotsAnswer>([&](auto done) { service_->rank_slots(request.dump(), done); });
  }
  Status reward_slots(const std::string& event,
                      const std::vector<std::pair<std::string, double>>& rewards) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [slot, value] : rewards) list.push_back({{"slotId", slot}, {"value", value}});
    const nlohmann::json body = {{"reward", list}};
    return answered<Done>([&](auto done) { service_->reward_slots(event, body.dump(), done); });
  }
  Status activate_slots(const std::string& event) {
    return answered<Done>([&](auto done) { service_->activate_slots(event, done); });
  }
  // `request` is a GateRequest, or JSON.
  template <class Request>
  Status begin_trial(const Request& request) {
    return answered<Done>([&](auto done) { service_->begin_trial(request, done); });
  }
  Status end_trial(GateOutcome outcome) {
    return answered<Done>([&](auto done) { service_->end_trial(outcome, done); });
  }
  Status remove_log() {
    return answered<Done>([&](auto done) { service_->remove_log(done); });
  }
  // Ranks and rewards events PREFIX0, PREFIX1, ... Each is learned before the next: what is decided
  // must not depend on the learner's speed.
  void play(const std::string& prefix, int events) {
    for (int i = 0; i < events; ++i) {
      service_->settle();
      const std::string id = prefix + std::to_string(i);
      const auto answer = rank(simple_request(id));
      ASSERT_TRUE(answer.ok());
      const double value = answer.value().ranking[answer.value().chosen].id == "b" ? 1.0 : 0.25;
      ASSERT_TRUE(reward(id, value).ok());
    }
  }

  // Stands for the model, with everything acknowledged so far: a checksum is easier to read.
  std::string model_checksum() {
    service_->settle();
    return nlohmann::json::parse(service_->model_properties())["checksum"].get<std::string>();
  }

  // Lets time pass in steps at which the service reads its clock.
  void pass(Milliseconds duration) {
    constexpr Milliseconds kStep = 30LL * 60 * 1000;
    for (; duration > 0; duration -= kStep) {
      time += std::min(duration, kStep);
      static_cast<void>(reward("nobody", 0.0));
    }
  }

  // All notes for the operator since the first start, one per line.
  std::string notes() {
    const std::lock_guard lock(notes_mutex_);
    return notes_;
  }
  void stop() { service_.reset(); }
  nlohmann::json totals() { return nlohmann::json::parse(service_->status())["totals"]; }

  Service& operator*() { return *service_; }
  Service* operator->() { return service_.get(); }
  Disk& disk() { return *disk_; }
  const TemporaryFolder& folder() const { return folder_; }

  std::atomic<Milliseconds> time{1'000'000};
  std::atomic<Milliseconds> clock_error{0};  // of the time of day
  std::atomic<bool> throwing_notes = false;
  RequestLimits limits = {};
  std::size_t queue = 8192;
  std::chrono::milliseconds snapshot_every = std::chrono::hours(1);
  std::chrono::milliseconds version_every = std::chrono::hours(1);

 private:
  template <class T, class Ask>
  Result<T> answered(Ask ask) {
    const auto promise = std::make_shared<std::promise<Result<T>>>();
    ask(Answer<T>([promise](Result<T> result) { promise->set_value(std::move(result)); }));
    return promise->get_future().get();
  }

  std::string agent_;
  TemporaryFolder folder_;
  std::shared_ptr<Disk> disk_;
  std::mutex notes_mutex_;
  std::string notes_;
  std::unique_ptr<Service> service_;
};

// Events first to last - 1: action 0 earns 1, the others 0.
inline void rank_and_reward(TestService& service, int first, int last) {
  for (int i = first; i < last; ++i) {
    service->settle();
    const std::string event = "e" + std::to_string(i);
    const auto answer = service.rank(simple_request(event));
    ASSERT_TRUE(answer.ok());
    ASSERT_TRUE(service.reward(event, answer.value().chosen == 0 ? 1.0 : 0.0).ok());
  }
}

// Whether the condition becomes true within ten minutes: the thread that learns has the lowest
// priority, and a busy machine may leave it little.
template <class Condition>
[[nodiscard]] bool eventually(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace sau::testing
