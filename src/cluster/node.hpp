#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cluster/model_inbox.hpp"
#include "cluster/names.hpp"
#include "cluster/nats_link.hpp"
#include "cluster/shipper.hpp"
#include "cluster/spool.hpp"
#include "cluster/spool_writer.hpp"
#include "cluster/stream_order.hpp"
#include "sau/cluster/cluster.hpp"
#include "serve/activity.hpp"
#include "serve/event_ids.hpp"
#include "serve/metrics.hpp"
#include "serve/service_backend.hpp"

namespace sau::detail {

inline const Failure kTwin{
    Failure::Code::kUnavailable,
    "another node has the same id: the folder of one is a copy of the other's. Stop the copy, and "
    "give that node a new folder"};

// A node: decides with the newest published model, spools, answers, ships. Calls that need the log
// or that change the model are refused: the trainer has those.
class NodeService final : public ServiceBackend {
 public:
  NodeService(ServiceOptions service, const ClusterOptions& cluster);
  NodeService(const NodeService&) = delete;
  NodeService& operator=(const NodeService&) = delete;
  ~NodeService() override { NodeService::stop(); }

  std::string agent() const override;
  void rank(std::string body, Answer<RankAnswer> answer) override;
  void reward(std::string_view event_id, std::string_view body, Answer<Done> answer) override;
  void activate(std::string_view event_id, Answer<Done> answer) override;
  void rank_slots(std::string_view body, Answer<SlotsAnswer> answer) override;
  void reward_slots(std::string_view event_id, std::string_view body, Answer<Done> answer) override;
  void activate_slots(std::string_view event_id, Answer<Done> answer) override;
  Configuration configuration() const override;
  void configure(std::string_view json, Answer<Configuration> answer) override;
  std::string model() const override;
  void load_model(const std::string& bytes, Answer<Done> answer) override;
  void reset_model(Answer<Done> answer) override;
  std::string versions() const override { return "[]"; }
  void roll_back(Sequence version, Answer<Done> answer) override;
  Policy policy() const override;
  void set_policy(std::string_view json, Answer<Policy> answer) override;
  void reset_policy(Answer<Policy> answer) override;
  void apply_trained(const Policy& policy, Answer<Policy> answer) override;
  void begin_trial(const GateRequest& request, Answer<Done> answer) override;
  void end_trial(GateOutcome outcome, Answer<Done> answer) override;
  std::optional<GateState> gate() const override { return std::nullopt; }
  Result<std::string> log_properties() const override;
  void remove_log(Answer<Done> answer) override;
  Result<Erased> erase(std::string_view json) override;
  std::string model_properties() const override;
  Result<std::string> decision(std::string_view event_id) const override;
  std::string status() const override;
  Result<std::string> history(std::string_view span) const override;
  std::string metrics() const override;
  void count_request(std::string_view what, int status, double seconds) override;
  void count_connections(
      std::size_t open, const std::vector<std::pair<std::string, std::uint64_t>>& dropped) override;
  bool ready() const override;
  void settle() override {}
  void stop() override;

 private:
  using Clock = std::chrono::steady_clock;
  // A caller that waits until the stream has its record, too.
  struct Unconfirmed {
    Sequence record = 0;
    Clock::time_point until;
    std::function<void(Status)> answer;
  };

  std::string node_id(const std::string& application) const;
  // Why nothing is taken at the moment.
  std::optional<Failure> closed() const;
  void spool(const Spooled& spooled, Answer<Done> answer);
  void heard_leader(std::string_view json);
  void heard_node(std::string_view json);
  std::string presence() const;
  Result<std::uint64_t> append(const std::string& id, std::string_view bytes);
  void confirm(Sequence through);
  void run();

  ServiceOptions options_;
  ClusterNames names_;
  bool confirm_stream_;
  Metrics metrics_;
  Activity activity_;
  EventIds ids_;
  const std::string session_;  // of this process; a copy of the folder has the same id
  RecentAnswers recent_;
  StreamOrder order_;  // used only with --confirm stream
  Milliseconds started_;
  Spool spool_;
  std::string node_;
  ModelInbox inbox_;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<Milliseconds> leader_heard_{0};  // by the steady clock
  std::atomic<std::uint64_t> leader_version_{0};
  std::atomic<bool> too_far_{false};         // the trainer has records that this spool never had
  std::atomic<Milliseconds> twin_heard_{0};  // by the steady clock
  std::atomic<Sequence> given_up_{0};        // dropped records that the leader's log lacks; noted

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Unconfirmed> unconfirmed_;
  bool stopping_ = false;

  Shipper shipper_;
  SpoolWriter writer_;
  std::unique_ptr<NatsLink> link_;
  std::thread thread_;
};

}  // namespace sau::detail
