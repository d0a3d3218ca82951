#include "serve/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace sau::detail {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

const Histogram::BucketBoundaries kRequestSeconds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
                                                     0.05,   0.1,   0.25,  0.5,   1,    5};
const Histogram::BucketBoundaries kWriteSeconds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
const Histogram::BucketBoundaries kRewardDelaySeconds = {0.1, 1,    5,    15,    60,   300,
                                                         600, 1800, 3600, 21600, 86400};

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;

  template <class T>
  prometheus::Family<T>& family(const char* name, const char* help) {
    if constexpr (std::is_same_v<T, Counter>) {
      return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
    } else if constexpr (std::is_same_v<T, Gauge>) {
      return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
    } else {
      return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
    }
  }
  Counter& counter(const char* name, const char* help) {
    return family<Counter>(name, help).Add({});
  }
  Gauge& gauge(const char* name, const char* help) { return family<Gauge>(name, help).Add({}); }

  prometheus::Family<Counter>& requests =
      family<Counter>("sau_requests_total", "Requests answered, by what was asked and by status.");
  prometheus::Family<Histogram>& seconds =
      family<Histogram>("sau_request_seconds", "Time from request to answer.");
  // A cache: looking a metric up by its labels takes longer than counting.
  std::shared_mutex mutex;
  std::map<std::pair<std::string, int>, std::pair<Counter*, Histogram*>, std::less<>> by_request;

  Counter& ranks = counter("sau_ranks_total", "Decisions made.");
  Counter& explored =
      counter("sau_explored_total",
              "Decisions for another action than the one with the largest predicted value.");
  Counter& apprentice = counter("sau_apprentice_total", "Decisions in apprentice mode.");
  Counter& agreed =
      counter("sau_apprentice_agreed_total",
              "Apprentice decisions in which the policy chose the caller's first action.");
  prometheus::Family<Counter>& rewards =
      family<Counter>("sau_rewards_total", "Rewards received, in time or late (or repeated).");
  Counter& in_time = rewards.Add({{"outcome", "in_time"}});
  Counter& late = rewards.Add({{"outcome", "late"}});
  prometheus::Family<Counter>& out_of_range =
      family<Counter>("sau_rewards_out_of_range_total",
                      "Rewards outside rewardMinimum and rewardMaximum, refused or clipped.");
  Counter& refused_rewards = out_of_range.Add({{"outcome", "refused"}});
  Counter& clipped_rewards = out_of_range.Add({{"outcome", "clipped"}});
  Histogram& delay = family<Histogram>("sau_reward_delay_seconds",
                                       "Time from decision to reward, for rewards in time.")
                         .Add({}, kRewardDelaySeconds);
  Counter& missing =
      counter("sau_missing_rewards_total", "Events completed with the default reward.");
  Counter& dropped = counter("sau_dropped_events_total", "Events that were never activated.");
  Counter& learned = counter("sau_learned_total", "Events completed and read by the learner.");
  Gauge& reward_sum = gauge("sau_reward_sum", "Sum of the rewards of the learned events.");
  Gauge& baseline_sum =
      gauge("sau_baseline_reward_sum",
            "The same if the caller's first action had been taken, by inverse propensity.");

  Histogram& writes =
      family<Histogram>("sau_log_write_seconds",
                        "Time to write a batch of requests to the log, with its sync.")
          .Add({}, kWriteSeconds);
  Counter& removed =
      counter("sau_removed_events_total", "Events removed from the log because they are old.");
  Counter& removal_failed = counter("sau_removal_failures_total",
                                    "Removals given up because base.sau could not be written.");
  Gauge& open_connections = gauge("sau_connections", "Open connections.");
  prometheus::Family<Counter>& dropped_connections =
      family<Counter>("sau_connections_dropped_total",
                      "Connections closed to make room for others, or refused, by reason.");

  Gauge& queued = gauge("sau_journal_queue", "Requests that wait to be written.");
  Gauge& waiting = gauge("sau_waiting_events", "Events that wait for their reward.");
  Gauge& lag = gauge("sau_learner_lag", "Log records that the learner has not read yet.");
  Gauge& model_version = gauge("sau_model_version", "The log record that last changed the model.");
  Gauge& model_age = gauge("sau_model_age_seconds", "Time since the model was last put to use.");
  Gauge& model_events = gauge("sau_model_events", "Rewards the model in use has learned from.");
  Gauge& log_bytes = gauge("sau_log_bytes", "Size of the event store.");
  prometheus::Family<Gauge>& log_memory =
      family<Gauge>("sau_log_memory_bytes",
                    "Memory of the event store: records not in tables yet, and parts of tables.");
  Gauge& log_write_buffers = log_memory.Add({{"part", "write_buffers"}});
  Gauge& log_cache = log_memory.Add({{"part", "cache"}});
  Gauge& actions = gauge("sau_known_actions", "Action ids with statistics.");
  Gauge& writable = gauge("sau_log_writable", "1 when the log takes records, else 0.");
  Gauge& clock_offset =
      gauge("sau_clock_offset_seconds", "How far the log's time is ahead of the clock.");
  Gauge& gate_running = gauge("sau_gate_running", "1 while a candidate is watched, else 0.");
  Gauge& gate_decisions =
      gauge("sau_gate_decisions", "Decisions that the present or latest candidate was scored on.");
  Gauge& gate_gain =
      gauge("sau_gate_gain", "How much more the candidate would have earned, per decision.");
  Gauge& gate_low = gauge("sau_gate_gain_low", "Lower end of the interval of this gain.");
  Gauge& gate_high = gauge("sau_gate_gain_high", "Upper end of the interval of this gain.");
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::request(std::string_view what, int status, double seconds) {
  Families& f = *families_;
  const std::pair<std::string, int> key(what, status);
  {
    const std::shared_lock lock(f.mutex);
    if (const auto found = f.by_request.find(key); found != f.by_request.end()) {
      found->second.first->Increment();
      return found->second.second->Observe(seconds);
    }
  }
  const std::unique_lock lock(f.mutex);
  auto& [counter, histogram] = f.by_request[key];
  counter = &f.requests.Add({{"request", key.first}, {"status", std::to_string(status)}});
  histogram = &f.seconds.Add({{"request", key.first}}, kRequestSeconds);
  counter->Increment();
  histogram->Observe(seconds);
}

void Metrics::ranked(bool explored, bool apprentice, bool agreed) {
  families_->ranks.Increment();
  if (explored) families_->explored.Increment();
  if (apprentice) families_->apprentice.Increment();
  if (apprentice && agreed) families_->agreed.Increment();
}

void Metrics::written(double seconds) { families_->writes.Observe(seconds); }

void Metrics::rewarded(double delay_seconds, bool in_time) {
  (in_time ? families_->in_time : families_->late).Increment();
  if (in_time) families_->delay.Observe(delay_seconds);
}

void Metrics::refused_reward() { families_->refused_rewards.Increment(); }
void Metrics::clipped_reward() { families_->clipped_rewards.Increment(); }

void Metrics::expired(EventPhase phase, std::size_t count) {
  const auto n = static_cast<double>(count);
  if (phase == EventPhase::kMissing) families_->missing.Increment(n);
  if (phase == EventPhase::kDropped) families_->dropped.Increment(n);
}

void Metrics::removed(std::uint64_t events) {
  families_->removed.Increment(static_cast<double>(events));
}
void Metrics::removal_failed() { families_->removal_failed.Increment(); }

void Metrics::learned(double reward, double baseline) {
  families_->learned.Increment();
  families_->reward_sum.Increment(reward);
  families_->baseline_sum.Increment(baseline);
}

void Metrics::connections(std::size_t open,
                          const std::vector<std::pair<std::string, std::uint64_t>>& dropped) {
  families_->open_connections.Set(static_cast<double>(open));
  const std::unique_lock lock(families_->mutex);
  for (const auto& [reason, count] : dropped) {
    Counter& counter = families_->dropped_connections.Add({{"reason", reason}});
    counter.Increment(static_cast<double>(count) - counter.Value());
  }
}

Metrics::Totals Metrics::totals() const {
  const auto whole = [](const Counter& counter) {
    return static_cast<std::uint64_t>(counter.Value());
  };
  const Families& f = *families_;
  Totals totals{.ranks = whole(f.ranks),
                .rewards = whole(f.in_time) + whole(f.late),
                .late = whole(f.late),
                .missing = whole(f.missing),
                .learned = whole(f.learned),
                .refused = 0,
                .refused_rewards = whole(f.refused_rewards),
                .clipped_rewards = whole(f.clipped_rewards)};
  const std::shared_lock lock(families_->mutex);
  for (const auto& [key, metric] : f.by_request) {
    if (key.second >= 400) totals.refused += whole(*metric.first);
  }
  return totals;
}

std::string Metrics::text(const Gauges& gauges) const {
  Families& f = *families_;
  f.queued.Set(gauges.queued);
  f.waiting.Set(gauges.waiting);
  f.lag.Set(gauges.learner_lag);
  f.model_version.Set(gauges.model_version);
  f.model_age.Set(gauges.model_age);
  f.model_events.Set(gauges.model_events);
  f.log_bytes.Set(gauges.log_bytes);
  f.log_write_buffers.Set(static_cast<double>(gauges.log_memory.write_buffers));
  f.log_cache.Set(static_cast<double>(gauges.log_memory.cache));
  f.actions.Set(gauges.actions);
  f.writable.Set(gauges.writable);
  f.clock_offset.Set(gauges.clock_offset);
  const GateState gate = gauges.gate.value_or(GateState{});
  f.gate_running.Set(gauges.gate && !gate.outcome ? 1.0 : 0.0);
  f.gate_decisions.Set(static_cast<double>(gate.decisions));
  f.gate_gain.Set(gate.gain);
  f.gate_low.Set(gate.low);
  f.gate_high.Set(gate.high);
  return prometheus::TextSerializer().Serialize(f.registry.Collect());
}

}  // namespace sau::detail
