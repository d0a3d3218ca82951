#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "sau/serve/configuration.hpp"
#include "sau/serve/service.hpp"
#include "serve/current.hpp"
#include "serve/shared_store.hpp"

namespace sau::detail {

struct RankOperation {
  std::string record;  // the decision, encoded; its time is set when it is written
  std::uint64_t fingerprint = 0;
  LearningMode mode = LearningMode::kOnline;
  bool deferred = false;
  bool explored = false;  // another action than the one of the largest value
  bool agreed = true;     // the policy would have chosen the same
  RankAnswer answer;
  Answer<RankAnswer> done;
};
struct RewardOperation {
  std::string event_id;
  double value = 0.0;
  Answer<Done> done;
};
struct ActivateOperation {
  std::string event_id;
  Answer<Done> done;
};
struct ConfigureOperation {
  std::string json;
  Answer<Configuration> done;
};
struct ModelOperation {
  EntryKind kind = EntryKind::kModelReset;
  std::string file;
  Answer<Done> done;
};
using Operation = std::variant<RankOperation, RewardOperation, ActivateOperation,
                               ConfigureOperation, ModelOperation>;

// What happened, for counters and the live page. Called by the journal's thread.
class JournalObserver {
 public:
  virtual void ranked(const RankOperation& operation, Milliseconds time) = 0;
  virtual void rewarded(double value, Milliseconds delay, bool in_time) = 0;
  virtual void expired(EventPhase phase) = 0;  // what it was completed as

 protected:
  ~JournalObserver() = default;
};

struct JournalOptions {
  std::size_t queue = 8192, waiting = 5'000'000;
  std::function<Milliseconds()> clock;
  std::function<void(const std::string&)> note;
  // All up to the first number is on disk, and the latest entry among it is the second.
  std::function<void(Sequence last, Sequence last_entry)> committed;
};

// What was configured last; the defaults when nothing was. Throws Error when the store is damaged.
std::shared_ptr<const Configuration> stored_configuration(const SharedStore& store);

class BatchWork;

// The one thread that decides what becomes of requests, in one order, and writes it down: every
// operation that waits goes into one batch, which is one sync, and is then answered. After a write
// that failed nothing is taken until the store could be opened again.
class Journal {
 public:
  Journal(SharedStore& store, Current<Configuration>& configuration, JournalObserver& observer,
          JournalOptions options);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() { stop(); }

  // Refuses, by the operation's own answer, when there is too much to do.
  void submit(Operation operation);
  // Empty when operations are taken.
  std::optional<Failure> closed() const;

  Sequence committed() const noexcept { return committed_.load(std::memory_order_acquire); }
  std::size_t queued() const;
  std::size_t waiting() const noexcept { return open_.load(std::memory_order_relaxed); }
  bool broken() const noexcept { return broken_.load(std::memory_order_relaxed); }

  // Lets the thread remove what is older than the configuration wants, but nothing from `first` on;
  // `before` is called, on that thread, before something is removed.
  void forget_before(Sequence first, std::function<void()> before);

  // Writes what was submitted, then ends. Operations submitted later are refused.
  void stop();

 private:
  struct Slot {
    Sequence decision;
    Milliseconds time;
    bool settled;
  };

  void run();
  void load();
  Milliseconds now();
  std::optional<Milliseconds> next_deadline() const;
  void commit(std::vector<Operation>& operations);
  void expire(BatchWork& work);
  bool recover();
  void clean();
  void settle(Sequence decision);
  bool too_many(std::size_t listed) const noexcept;
  void list_all(StoreBatch& batch) const;

  SharedStore& store_;
  Current<Configuration>& configuration_;
  JournalObserver& observer_;
  JournalOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Operation> queue_;
  bool stopping_ = false;
  Sequence forget_before_ = 0;
  std::function<void()> before_forgetting_;

  // Of the thread alone.
  Sequence last_ = 0, last_entry_ = 0;
  Milliseconds latest_time_ = 0;
  std::deque<Slot> slots_;    // by decision, which is by time as well
  std::size_t listed_ = 0;    // in the store as waiting, though many may have been settled
  std::string last_trouble_;  // at opening the store again: said once, not five times a second

  std::atomic<Sequence> committed_{0};
  std::atomic<std::size_t> open_{0};
  std::atomic<bool> broken_{false};
  std::thread thread_;
};

}  // namespace sau::detail
