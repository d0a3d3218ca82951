#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/serve/configuration.hpp"
#include "sau/serve/erased.hpp"
#include "sau/serve/gate.hpp"
#include "sau/serve/rank_request.hpp"
#include "sau/store/event_store.hpp"

namespace sau {

struct ServiceOptions {
  std::filesystem::path folder;  // holds the events, the model and the settings
  // A folder keeps the agent and the seed it was made with; others are refused. If not given, a new
  // folder gets `sau`, which is a committee, and 1.
  std::string agent = {};
  std::optional<std::uint64_t> seed = {};
  RequestLimits limits = {};
  std::size_t queue = 8192;         // requests that wait to be written; more are refused
  std::size_t waiting = 5'000'000;  // events that wait for their reward; more are refused
  std::chrono::milliseconds snapshot_every = std::chrono::minutes(1);
  // Earlier models to go back to: how many are kept, and how far apart they are at least. One is
  // also kept before another model replaces it.
  std::size_t versions = 8;
  std::chrono::milliseconds version_every = std::chrono::hours(1);
  int open_files = 256;  // how many the log keeps open at the same time
  // The time of day, and a clock that nobody can set; the system's when empty.
  std::function<Milliseconds()> clock = {}, steady_clock = {};
  // Opens the store of a folder; RocksDB when empty.
  std::function<std::unique_ptr<EventStore>(const std::filesystem::path&)> store = {};
  // Called with one sentence for each thing that the operator should know; from several threads.
  std::function<void(const std::string&)> note = {};
  // For a service that is part of a cluster: more metrics, and what else is needed to be ready.
  std::function<std::string()> more_metrics = {};
  std::function<bool()> also_ready = {};
};

struct RankedAction {
  std::string id;
  double probability = 0.0;
};

struct RankAnswer {
  std::vector<RankedAction> ranking;  // in the order of the request
  std::string event_id;
  std::size_t chosen = 0;  // place of the action to use, and to reward
};

struct SlotsAnswer {
  struct Slot {
    std::string id, action_id;
  };
  std::vector<Slot> slots;  // in the order of the request
  std::string event_id;
};

template <class T>
using Answer = std::function<void(Result<T>)>;

namespace detail {
class ServiceBackend;
}

// The service, independent of transport. Thread-safe. A function that takes an Answer calls it
// exactly once: before it returns, or later from a thread of the service. Success means that the
// record is on disk. Answers should be quick.
class Service {
 public:
  // Continues where the folder's log ends. Throws Error when the folder cannot be used or something
  // in it is damaged.
  explicit Service(ServiceOptions options);
  // With another implementation: a node or a trainer of a cluster (sau/cluster/cluster.hpp).
  explicit Service(std::unique_ptr<detail::ServiceBackend> backend);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  // The canonical spec of the agent that decides.
  std::string agent() const;

  void rank(std::string body, Answer<RankAnswer> answer);
  void reward(std::string_view event_id, std::string_view body, Answer<Done> answer);
  void activate(std::string_view event_id, Answer<Done> answer);

  // The same for events with several slots, whose actions differ (docs/http.md). Each slot is a
  // decision of its own in the log.
  void rank_slots(std::string_view body, Answer<SlotsAnswer> answer);
  void reward_slots(std::string_view event_id, std::string_view body, Answer<Done> answer);
  void activate_slots(std::string_view event_id, Answer<Done> answer);

  Configuration configuration() const;
  void configure(std::string_view json, Answer<Configuration> answer);

  // The model file as of now; see docs/formats/model.md.
  std::string model() const;
  void load_model(const std::string& bytes, Answer<Done> answer);
  void reset_model(Answer<Done> answer);

  // The earlier models that are kept, as JSON, the latest first.
  std::string versions() const;
  // Goes back to one of them, and to its agent if another one decides by now.
  void roll_back(Sequence version, Answer<Done> answer);

  // Which agent decides. set_policy() takes {"name", "arguments"}, where arguments is the spec of
  // an agent; if it is another one, it begins with a model that has learned nothing.
  Policy policy() const;
  void set_policy(std::string_view json, Answer<Policy> answer);
  // Back to the agent that the folder was made with.
  void reset_policy(Answer<Policy> answer);
  // The agent of this policy, with its canonical spec, learns from the whole log, which takes a
  // while: the caller waits. Then it decides, and has missed nothing that came meanwhile.
  void apply_trained(const Policy& policy, Answer<Policy> answer);

  // The gate: a candidate that is watched (sau/serve/gate.hpp). The candidate learns from the whole
  // log first: the caller waits. There is one at a time. The JSON of the second function is
  // {"name", "arguments", "margin", "alpha", "automatic"}.
  void begin_trial(const GateRequest& request, Answer<Done> answer);
  void begin_trial(std::string_view json, Answer<Done> answer);
  // Promotes the candidate or gives it up. Fails if there is none.
  void end_trial(GateOutcome outcome, Answer<Done> answer);
  // The trial that runs, or else the latest one.
  std::optional<GateState> gate() const;

  // The times of the first and the last event of the log, as JSON.
  Result<std::string> log_properties() const;
  // Removes all records that are acknowledged by now, soon after the answer: as soon as no event
  // among them waits for its reward, and the model that has learned from them is on disk.
  void remove_log(Answer<Done> answer);

  // Removes what is known about events: {"events": [id, ...], "users": [{feature: value}, ...]}.
  // See erase_events() in sau/serve/log_tools.hpp; the service goes on meanwhile. Takes as long as
  // learning from the log and copying it: the caller waits.
  Result<Erased> erase(std::string_view json);

  // JSON for people and programs.
  std::string model_properties() const;
  Result<std::string> decision(std::string_view event_id) const;
  std::string status() const;
  // What happened in the last five `minutes`, `hour`, `day` or `week`, at most since the start.
  Result<std::string> history(std::string_view span) const;
  // Prometheus' text format.
  std::string metrics() const;
  // Counts an answer of the transport: what was asked for, the status, and how long it took.
  void count_request(std::string_view what, int status, double seconds);

  // Tells how many connections the transport has, and how many it has dropped since the start, by
  // reason; shown by metrics().
  void count_connections(std::size_t open,
                         const std::vector<std::pair<std::string, std::uint64_t>>& dropped);

  // Whether the service has learned from everything logged before the start, and can write records.
  bool ready() const;
  // Returns when everything acknowledged so far has been learned and is in use.
  void settle();
  // Writes the model to disk and ends; the destructor does the same.
  void stop();

 private:
  std::unique_ptr<detail::ServiceBackend> backend_;
};

}  // namespace sau
