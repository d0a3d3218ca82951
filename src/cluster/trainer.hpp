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
  // The members of the application, as JSON, for the live page.
  std::string members() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Node {
    Clock::time_point heard;
    std::string host;
    Sequence version = 0, last = 0, kept_from = 0;
    std::uint64_t ranks = 0, rewards = 0;
    bool ready = false;
  };

  // The stream, as it was when somebody looked.
  struct StreamLook {
    Clock::time_point time{};
    std::optional<StreamState> stream;  // nothing: there is none
  };

  bool pause(std::chrono::milliseconds time);  // returns whether it goes on
  void stop();                                 // ends the threads that were started
  void feed();                                 // thread: takes messages
  void send_heartbeats();                      // thread: leads or stands by, tells the others
  void publish();                              // thread: publishes models, or compares them
  // Both return whether there was something to do.
  bool lead_some();
  bool follow_some();
  // Asks the server for the stream. Returns nothing if it cannot be reached.
  std::optional<StreamLook> look_at_stream();
  StreamLook latest_look() const;
  void look_again();  // soon: what the latest look saw is out of date
  void make_stream();
  // Whether it can go on though nodes have dropped records that the log lacks: there are none, or
  // they are given up.
  bool go_on_without(const std::optional<ShippedBatch>& lost, std::int64_t life, std::uint64_t at);
  // A node that has dropped such records.
  std::optional<ShippedBatch> lost_from_spools() const;
  void tick();
  void take(const TakenMessage& message);  // throws Error
  void send_model();
  void compare_models();
  void announce();
  // An answer for a standby.
  std::string messages_for(std::string_view request) const;
  void heard_leader(std::string_view json);
  void heard_node(std::string_view json);
  // Returns whether the lease is this trainer's for now.
  bool renew(Clock::time_point now);
  void ask_for_lease(Clock::time_point now);
  void release();
  // Called by the feeding thread: this trainer must not lead for a while.
  void unfit(const std::string& why);
  void clear_unfit();
  void fail(const std::string& why);
  // Why it can neither lead nor follow. The second also says why it gave up the lead, if it did;
  // then it may still follow.
  std::string fault() const;
  std::string what_is_wrong() const;
  std::string settings_text() const;

  LocalService& service_;
  const TrainerOptions options_;
  const ClusterNames names_;
  Feeder feeder_;
  Leadership leadership_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false, news_ = false;
  std::string wrong_;        // why it neither leads nor follows
  std::string other_model_;  // why its model cannot be trusted; stays until a restart
  std::string unfit_;        // why it gave up the lead; until something works again
  bool gives_up_ = false;    // the heartbeat thread is to release the lease
  Clock::time_point fit_again_{};
  std::map<std::string, Node> nodes_;
  std::map<Sequence, std::string> checksums_;  // of the leader's models, by version
  StreamLook look_;                            // the latest, of any thread
  Clock::time_point followed_{};               // a leader that answers, most lately
  // Used only by the feeding thread.
  Clock::time_point last_taken_ = Clock::now(), lost_since_ = Clock::time_point::max();
  std::string trouble_;  // why the stream cannot be made
  std::string told_;     // why nobody leads; used only by the heartbeat thread

  std::atomic<bool> idle_{false}, asked_{false};
  std::atomic<Sequence> sent_version_{0}, compared_{0};
  std::atomic<std::uint64_t> ticks_{0}, different_{0};
  std::string sent_checksum_, sent_configuration_;  // guarded by mutex_
  Sequence last_compared_ = 0;
  std::unique_ptr<NatsLink> link_;
  std::thread feed_, heartbeat_, publish_;
};

}  // namespace sau::detail
