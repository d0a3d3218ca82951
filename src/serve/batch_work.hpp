#pragma once

#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serve/journal.hpp"

namespace sau::detail {

// A batch in the making. Operations are applied one after the other, and each sees what those
// before it did. Nothing outside changes before the batch is on disk.
class BatchWork {
 public:
  BatchWork(const SharedStore& store, Configuration configuration, Sequence last,
            const LogClock& clock, EarlyRewards* early = nullptr)
      : store_(store),
        configuration_(std::move(configuration)),
        first_(last + 1),
        last_(last),
        clock_(clock),
        now_(clock.time()),
        early_(early) {}
  BatchWork(const BatchWork&) = delete;
  BatchWork& operator=(const BatchWork&) = delete;
  ~BatchWork() = default;

  void add(RankOperation& operation);
  void add(RewardOperation& operation);
  void add(ActivateOperation& operation);
  void add(ConfigureOperation& operation);
  void add(ModelOperation& operation);
  void add(PolicyOperation& operation);
  void add(RollbackOperation& operation);
  void add(RemoveOperation& operation);
  void add(StrikeOperation& operation);
  void add(TrialBeginOperation& operation);
  void add(TrialEndOperation& operation);
  void add(SlotsOperation& operation);
  void add(GroupOperation& operation);
  void add(FeedOperation& operation);
  // The reward wait time of a decision is over. Fails only if the store fails.
  std::optional<Failure> expire(Sequence decision);
  // The same for sorted decisions that are active and have no reward: nothing is looked up.
  void expire_plain(std::span<const Sequence> decisions);

  StoreBatch& batch();
  // Decisions that are new; that changed but still wait for a reward; that wait no longer.
  const std::vector<WaitingDecision>& started() const noexcept { return started_; }
  const std::vector<Sequence>& changed() const noexcept { return changed_; }
  const std::vector<Sequence>& settled() const noexcept { return settled_; }
  Sequence last() const noexcept { return last_; }
  // Answers, in order, to be given when the batch is on disk.
  std::vector<std::function<void()>>& answers() noexcept { return answers_; }
  // For the observer, to be called when the batch is on disk.
  std::vector<std::function<void(JournalObserver&)>>& reports() noexcept { return reports_; }
  const std::optional<Configuration>& configured() const noexcept { return configured_; }

 private:
  struct Touched {
    EventState state;
    const RankAnswer* ranked = nullptr;  // set if ranked in this batch, for retries within it
    bool deferred = false;               // only if ranked in this batch
    bool changed = false;                // since it was ranked
  };

  Result<std::optional<EventState>> event(std::string_view id) const;
  // Copies the id, once.
  Touched& touched(std::string_view id);
  void entry(const Entry& entry);
  // Writes a decision whose id is new.
  void start(RankOperation& operation);
  // The answer that an event with slots got before.
  Result<SlotsAnswer> answer_again(const SlotsOperation& operation, Sequence first) const;
  void change_policy(const Policy& policy, const PolicyChange& change);
  // Ends the trial that runs.
  void end_trial(GateOutcome outcome);
  // Logs configuration_, which has changed.
  void configured_now();
  void complete(EventState& state, EventPhase phase, double reward);
  // Stores the new state of an event.
  void keep(std::string_view id, EventState state);
  // Whether the event's time is over, even if the log does not say so yet.
  bool is_late(const EventState& state) const noexcept {
    return now_ > clock_.end_of_wait(state.time, configuration_.reward_wait_time);
  }
  template <class T>
  void refuse(const Answer<T>& done, Failure failure) {
    answers_.emplace_back([done, failure = std::move(failure)] { done(failure); });
  }

  const SharedStore& store_;
  Configuration configuration_;
  Sequence first_, last_;
  const LogClock& clock_;
  Milliseconds now_;
  EarlyRewards* early_;  // only in a journal that is fed
  StoreBatch batch_;
  std::vector<WaitingDecision> started_;
  std::vector<Sequence> changed_, settled_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<std::string_view, Touched> touched_{&memory_};
  std::vector<std::function<void()>> answers_;
  std::vector<std::function<void(JournalObserver&)>> reports_;
  std::optional<Configuration> configured_;
};

// The answer that the caller got for a decision.
Result<RankAnswer> answer_of(const Decision& decision);

}  // namespace sau::detail
