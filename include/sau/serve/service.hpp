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
  int open_files = 256;  // how many the log keeps open at the same time
  // The time of day, and a clock that nobody can set; the system's when empty.
  std::function<Milliseconds()> clock = {}, steady_clock = {};
  // Opens the store of a folder; RocksDB when empty.
  std::function<std::unique_ptr<EventStore>(const std::filesystem::path&)> store = {};
  // Called with one sentence for each thing that the operator should know; from several threads.
  std::function<void(const std::string&)> note = {};
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

template <class T>
using Answer = std::function<void(Result<T>)>;

// The service, independent of transport. Thread-safe. A function that takes an Answer calls it
// exactly once: before it returns, or later from a thread of the service. Success means that the
// record is on disk. Answers should be quick.
class Service {
 public:
  // Continues where the folder's log ends. Throws Error when the folder cannot be used or something
  // in it is damaged.
  explicit Service(ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  // The agent's canonical spec.
  const std::string& agent() const noexcept;

  void rank(std::string body, Answer<RankAnswer> answer);
  void reward(std::string_view event_id, std::string_view body, Answer<Done> answer);
  void activate(std::string_view event_id, Answer<Done> answer);

  Configuration configuration() const;
  void configure(std::string_view json, Answer<Configuration> answer);

  // The model file as of now; see docs/formats/model.md.
  std::string model() const;
  void load_model(const std::string& bytes, Answer<Done> answer);
  void reset_model(Answer<Done> answer);

  // JSON for people and programs.
  std::string model_properties() const;
  Result<std::string> decision(std::string_view event_id) const;
  std::string status() const;
  // Prometheus' text format.
  std::string metrics() const;
  // Counts an answer of the transport: what was asked for, the status, and how long it took.
  void count_request(std::string_view what, int status, double seconds);

  // Tells how many connections the transport has, and how many it has dropped since the start, by
  // reason; shown by metrics().
  void count_connections(std::size_t open,
                         const std::vector<std::pair<std::string, std::uint64_t>>& dropped);

  // Whether everything logged before the start has been learned, and records can be written.
  bool ready() const;
  // Returns when everything acknowledged so far has been learned and is in use.
  void settle();
  // Writes the model to disk and ends; the destructor does the same.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sau
