#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "sau/serve/configuration.hpp"
#include "sau/serve/service.hpp"
#include "serve/current.hpp"
#include "serve/early_rewards.hpp"
#include "serve/log_clock.hpp"
#include "serve/policy.hpp"
#include "serve/shared_store.hpp"
#include "serve/trial.hpp"

namespace sau::detail {

struct RankOperation {
  std::string record;  // the decision, encoded; its time is set when it is written
  std::uint64_t fingerprint = 0;
  LearningMode mode = LearningMode::kOnline;
  bool deferred = false;
  bool explored = false;  // not the action of the largest value
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
  Policy policy;  // that the file is for; refused if there is another one by now
  Answer<Done> done;
};
struct PolicyOperation {
  Policy policy;
  PolicyChange change;  // the same with the agent's spec, even if that is the folder's
  Answer<Policy> done;
};
// Back to a model that was kept.
struct RollbackOperation {
  Policy policy;        // the one that the model is of
  PolicyChange change;  // logged if that is not the present one
  std::string file;
  Answer<Done> done;
};
// Removes the whole log, as far as nothing waits for it.
struct RemoveOperation {
  Answer<Done> done;
};
// Events that no longer count: those that wait are dropped, and those that were learned are
// unlearned, unless a record up to `fixed` has completed them. Ids that are unknown are left out.
struct StrikeOperation {
  std::vector<std::string> event_ids;
  Sequence fixed = 0;
  Answer<Done> done;
};
struct TrialBeginOperation {
  TrialPlan plan;  // its time is set when it is written
  Answer<Done> done;
};
struct TrialEndOperation {
  std::string trial;  // empty: the one that runs
  GateOutcome outcome = GateOutcome::kStopped;
  Answer<Done> done;
};
// The slots of one event, all or none of which are written.
struct SlotsOperation {
  std::vector<std::string> slot_ids;
  std::vector<RankOperation> slots;  // their own answers are not used
  std::uint64_t fingerprint = 0;     // of the whole request
  Answer<SlotsAnswer> done;
};
// Rewards or activations that are written together.
struct GroupOperation {
  std::vector<std::variant<RewardOperation, ActivateOperation>> parts;
  Answer<Done> done;
};
// A message of the stream that feeds a trainer (cluster/trainer.hpp). It is a batch of its own and
// has the stream's time, so the log depends on the messages alone. A reward whose decision has not
// come yet waits for it. Nobody waits for the answers of the parts.
struct FeedOperation {
  // What became of the parts.
  struct Outcome {
    std::size_t decisions = 0, repeated = 0;  // the latter: their event id was there before
    std::size_t contradicting = 0;       // among the repeated ones: other choices than the first
    std::size_t early = 0, dropped = 0;  // rewards that wait; that had waited for too long
    std::size_t refused = 0;             // configurations that were wrong
    std::string contradiction = {};      // the id of one such event
  };

  Milliseconds time = 0;
  std::vector<std::variant<RankOperation, RewardOperation, ActivateOperation, ConfigureOperation,
                           ModelOperation>>
      parts;
  std::vector<std::pair<std::string, std::optional<std::string>>> rows;  // written with it
  Answer<Outcome> done;
};
using Operation =
    std::variant<RankOperation, RewardOperation, ActivateOperation, ConfigureOperation,
                 ModelOperation, PolicyOperation, RollbackOperation, RemoveOperation,
                 StrikeOperation, TrialBeginOperation, TrialEndOperation, SlotsOperation,
                 GroupOperation, FeedOperation>;

// Other files for the store, which have the same log.
struct Replacement {
  // Both are called by the journal thread, between two batches. The store is open at first; if
  // this throws or returns false, nothing else happens. Then it is closed until the second returns.
  std::function<bool()> prepare;
  std::function<void()> replace;
  Answer<Done> done;
};

// Is told what happened, for counters and the live page. Called by the journal thread.
class JournalObserver {
 public:
  virtual void ranked(const RankOperation& operation, Milliseconds time) = 0;
  virtual void rewarded(double value, Milliseconds delay, bool in_time) = 0;
  virtual void expired(EventPhase phase, std::size_t count) = 0;  // `phase` is the new one
  virtual void written(double seconds) = 0;  // a batch is on disk; it took this long

 protected:
  ~JournalObserver() = default;
};

struct JournalOptions {
  std::size_t queue = 8192, waiting = 5'000'000;
  bool fed = false;  // takes only FeedOperations
  std::function<ClockReading()> clock;
  std::function<void(const std::string&)> note;
  // Called when the records up to `last` are on disk; `last_entry` is the latest entry of these.
  std::function<void(Sequence last, Sequence last_entry)> committed;
  // Called when the records after `before`, up to `until`, were removed.
  std::function<void(const LogHead& before, const LogHead& until)> removed;
};

// The latest configuration in the store; `otherwise` when there is none. Throws Error when the
// store is damaged.
std::shared_ptr<const Configuration> stored_configuration(const SharedStore& store,
                                                          const Configuration& otherwise);

class BatchWork;

// The thread that carries out all operations, in one order, and logs them. All operations that wait
// go into one batch; it is written with one sync, and then they are answered. After a failed write
// operations are refused until the store has been reopened.
class Journal {
 public:
  // Reads which decisions wait for a reward. start() starts the thread. Throws Error when the store
  // is damaged.
  Journal(SharedStore& store, Current<Configuration>& configuration, JournalObserver& observer,
          JournalOptions options);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() { stop(); }

  void start();

  // The rest is thread-safe.

  // When there is too much to do, refuses the operation through its own answer.
  void submit(Operation operation);
  // Why operations are refused; empty when they are accepted.
  std::optional<Failure> closed() const;

  Sequence committed() const noexcept { return committed_.load(std::memory_order_acquire); }
  std::size_t queued() const;
  // Events that wait for their reward. One that was completed counts until the learner was told:
  // who sees 0 here, and then no lag of the learner, knows that everything is learned.
  std::size_t waiting() const noexcept { return open_.load(std::memory_order_acquire); }
  // Rewards that wait for their decision.
  std::size_t early() const noexcept { return early_count_.load(std::memory_order_relaxed); }
  bool broken() const noexcept { return broken_.load(std::memory_order_relaxed); }
  // The log's clock: the time that removal may rely on, and how far it is ahead of the wall clock.
  Milliseconds trusted_time() const noexcept { return trusted_.load(std::memory_order_relaxed); }
  Milliseconds clock_offset() const noexcept { return offset_.load(std::memory_order_relaxed); }

  // Keeps the log's current head, so that the log can be removed up to there later.
  void keep_head();
  // Lets the thread remove everything up to this head. The model that replaces it must be on disk.
  void forget(const LogHead& until);

  // Lets the thread replace the files of the store. One at a time.
  void replace(Replacement replacement);

  // Writes what was submitted, then ends the thread. Operations submitted later are refused.
  void stop();

 private:
  struct Slot {
    Sequence decision : 62;
    Sequence plain : 1;
    Sequence settled : 1 = 0;
    Milliseconds time;

    static constexpr Sequence kLargest = (Sequence{1} << 62) - 1;

    explicit Slot(const WaitingDecision& waiting) noexcept
        : decision(waiting.decision & kLargest), plain(waiting.plain), time(waiting.time) {}
  };
  // Millions may wait, and as many again may be settled but not at the front of the queue yet.
  static_assert(2 * sizeof(Slot) <= 32, "a waiting event takes at most 32 bytes");

  void run();
  void load();
  Milliseconds now();
  std::optional<Milliseconds> until_deadline() const;
  void commit(std::span<Operation> operations, bool stopping);
  void write(BatchWork& work, bool keep_head, bool stopping);
  void tell_learner();
  void answer(BatchWork& work);
  void expire(BatchWork& work);
  // Fed journals: everything that the log's time has made too old is expired before the next
  // message, so that it has the same place in every log of these messages.
  void finish_expiring();
  bool recover();
  void clean();
  void replace_files();
  void update_slots(const BatchWork& work);
  Slot* slot_of(Sequence decision);

  SharedStore& store_;
  Current<Configuration>& configuration_;
  JournalObserver& observer_;
  JournalOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Operation> queue_;
  bool stopping_ = false, keep_head_ = false;
  std::optional<LogHead> forget_;
  std::optional<Replacement> replacement_;

  // Used only by the journal thread.
  LogClock clock_;
  EarlyRewards early_;
  std::vector<ClockLeap> written_leaps_;
  Milliseconds written_time_ = 0;
  Sequence last_ = 0, last_entry_ = 0, kept_ = 0;
  std::deque<Slot> slots_;      // ordered by decision, and so by time
  bool overdue_ = false;        // more events have expired than fit into one batch
  bool stalled_ = false;        // an expired event could not be completed
  std::string last_unexpired_;  // why; noted once
  std::string last_trouble_;    // why the store could not be reopened; noted once

  std::atomic<Sequence> committed_{0};
  std::atomic<std::size_t> open_{0}, early_count_{0};
  std::atomic<bool> broken_{false};
  std::atomic<Milliseconds> trusted_{0}, offset_{0};
  std::thread thread_;
};

}  // namespace sau::detail
