#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/serve/service.hpp"

namespace sau::detail {

// What is behind a Service: the service of one machine (local_service.hpp), or a node of a cluster
// (cluster/node.hpp). Every function does what the function of the same name in Service does.
class ServiceBackend {
 public:
  virtual ~ServiceBackend() = default;

  virtual std::string agent() const = 0;
  virtual void rank(std::string body, Answer<RankAnswer> answer) = 0;
  virtual void reward(std::string_view event_id, std::string_view body, Answer<Done> answer) = 0;
  virtual void activate(std::string_view event_id, Answer<Done> answer) = 0;
  virtual void rank_slots(std::string_view body, Answer<SlotsAnswer> answer) = 0;
  virtual void reward_slots(std::string_view event_id, std::string_view body,
                            Answer<Done> answer) = 0;
  virtual void activate_slots(std::string_view event_id, Answer<Done> answer) = 0;
  virtual Configuration configuration() const = 0;
  virtual void configure(std::string_view json, Answer<Configuration> answer) = 0;
  virtual std::string model() const = 0;
  virtual void load_model(const std::string& bytes, Answer<Done> answer) = 0;
  virtual void reset_model(Answer<Done> answer) = 0;
  virtual std::string versions() const = 0;
  virtual void roll_back(Sequence version, Answer<Done> answer) = 0;
  virtual Policy policy() const = 0;
  virtual void set_policy(std::string_view json, Answer<Policy> answer) = 0;
  virtual void reset_policy(Answer<Policy> answer) = 0;
  virtual void apply_trained(const Policy& policy, Answer<Policy> answer) = 0;
  virtual void begin_trial(const GateRequest& request, Answer<Done> answer) = 0;
  virtual void end_trial(GateOutcome outcome, Answer<Done> answer) = 0;
  virtual std::optional<GateState> gate() const = 0;
  virtual Result<std::string> log_properties() const = 0;
  virtual void remove_log(Answer<Done> answer) = 0;
  virtual Result<Erased> erase(std::string_view json) = 0;
  virtual std::string model_properties() const = 0;
  virtual Result<std::string> decision(std::string_view event_id) const = 0;
  virtual std::string status() const = 0;
  virtual Result<std::string> history(std::string_view span) const = 0;
  virtual std::string metrics() const = 0;
  virtual void count_request(std::string_view what, int status, double seconds) = 0;
  virtual void count_connections(
      std::size_t open, const std::vector<std::pair<std::string, std::uint64_t>>& dropped) = 0;
  virtual bool ready() const = 0;
  virtual void settle() = 0;
  virtual void stop() = 0;
};

}  // namespace sau::detail
