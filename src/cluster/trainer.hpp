#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "cluster/feeder.hpp"
#include "cluster/leadership.hpp"
#include "cluster/names.hpp"
#include "cluster/nats_link.hpp"
#include "sau/cluster/cluster.hpp"

namespace sau::detail {

struct TrainerOptions {
  std::filesystem::path folder;
  ClusterOptions cluster;
  std::function<void(const std::string&)> note;
};

// A trainer at work. If it leads, it takes messages from the stream, tells the nodes what its log
// has, and publishes its model. If it stands by, it takes the same messages from the leader, so its
// log is always the beginning of the leader's; and it compares the models.
class Trainer {
 public:
  // The service must outlive it. Throws Error when the servers or the folder refuse.
  Trainer(LocalService& service, TrainerOptions options);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  ~Trainer();

  // Thread-safe.
  bool ready() const;
  std::string metrics() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Node {
    Clock::time_point heard;
    Sequence version = 0, last = 0;
  };

  bool pause(std::chrono::milliseconds time);  // returns whether it goes on
  void feed();                                 // thread: takes messages
  void herald();                               // thread: leads or stands by, tells the others
  void publish();                              // thread: publishes models, or compares them
  // Both return whether there was something to do.
  bool lead_some();
  bool follow_some();
  bool look_at_stream();
  void tick();
  Status take(const TakenMessage& message);
  void send_model();
  void compare_models();
  void announce();
  // An answer for a standby.
  std::string messages_for(std::string_view request) const;
  void heard_leader(std::string_view json);
  void heard_node(std::string_view json);
  void fail(const std::string& why);
  std::string what_is_wrong() const;

  LocalService& service_;
  const TrainerOptions options_;
  const ClusterNames names_;
  Feeder feeder_;
  Leadership leadership_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false, news_ = false;
  std::string wrong_;  // why it neither leads nor follows
  std::map<std::string, Node> nodes_;
  std::map<Sequence, std::string> checksums_;  // of the leader's models, by version
  StreamState stream_;                         // as it was when somebody looked
  bool has_stream_ = false;
  Clock::time_point last_look_{}, last_taken_ = Clock::now();

  std::atomic<bool> idle_{false}, asked_{false}, followed_{false};
  std::atomic<Sequence> sent_version_{0}, compared_{0};
  std::atomic<std::uint64_t> ticks_{0}, different_{0};
  std::string sent_checksum_, sent_configuration_;  // guarded by mutex_
  Sequence last_compared_ = 0;
  std::unique_ptr<NatsLink> link_;
  std::thread feed_, herald_, publish_;
};

}  // namespace sau::detail
