#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/serve/gate.hpp"
#include "sau/store/event_store.hpp"

namespace sau::detail {

// Values that are read when somebody asks for the metrics.
struct Gauges {
  double queued = 0, waiting = 0, learner_lag = 0, model_version = 0, model_age = 0,
         model_events = 0, log_bytes = 0, actions = 0, writable = 0, clock_offset = 0;
  StoreMemory log_memory = {};
  std::optional<GateState> gate = {};
};

// Counters since the start, in Prometheus' text format. Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  void request(std::string_view what, int status, double seconds);
  void ranked(bool explored, bool apprentice, bool agreed);
  void rewarded(double delay_seconds, bool in_time);
  // For rewards outside the configured bounds.
  void refused_reward();
  void clipped_reward();
  void expired(EventPhase phase, std::size_t count);
  void written(double seconds);
  // Old events were removed from the log; or they were not, because base.sau could not be written.
  void removed(std::uint64_t events);
  void removal_failed();
  // `baseline` is an unbiased estimate of the reward of the caller's first action.
  void learned(double reward, double baseline);

  // How many are open now, and how many were dropped since the start, by reason.
  void connections(std::size_t open,
                   const std::vector<std::pair<std::string, std::uint64_t>>& dropped);

  struct Totals {
    std::uint64_t ranks = 0, rewards = 0, late = 0, missing = 0, learned = 0, refused = 0,
                  refused_rewards = 0, clipped_rewards = 0;
  };
  Totals totals() const;
  std::string text(const Gauges& gauges) const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace sau::detail
