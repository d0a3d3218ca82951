#include "serve/journal.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "serve/batch_work.hpp"
#include "serve/safe_note.hpp"

namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr auto kRetryStore = 200ms;
// While events wait, the log's time is written at least this often.
constexpr Milliseconds kTimePause = 60'000;
const Failure kNotWritable{Failure::Code::kUnavailable, "the log cannot be written at the moment"};
const Failure kStopping{Failure::Code::kUnavailable, "the service is stopping"};
const Failure kFed{Failure::Code::kConflict,
                   "this is a trainer, which takes everything from its nodes: send it to a node"};

void refuse(Operation& operation, const Failure& failure) {
  std::visit([&failure](auto& any) { any.done(failure); }, operation);
}

// If an answer throws for lack of memory, the destroyed reply answers the request instead.
void refuse_all(std::span<Operation> operations) noexcept {
  for (Operation& operation : operations) {
    call_safely([](const std::string&) {}, "", [&] { refuse(operation, kNotWritable); });
  }
}

}  // namespace

std::shared_ptr<const Configuration> stored_configuration(const SharedStore& store,
                                                          const Configuration& otherwise) {
  const auto found =
      good(store.read([](const EventStore& events) { return events.configuration(); }));
  if (!found) return std::make_shared<const Configuration>(otherwise);
  return std::make_shared<const Configuration>(
      good(read_stored_configuration(*found, configuration_of_old_folders()),
           "the stored configuration"));
}

Journal::Journal(SharedStore& store, Current<Configuration>& configuration,
                 JournalObserver& observer, JournalOptions options)
    : store_(store),
      configuration_(configuration),
      observer_(observer),
      options_(std::move(options)) {
  load();
  open_.store(slots_.size(), std::memory_order_release);
  store_.read([this](const EventStore& events) {
    written_leaps_ = good(events.leaps());
    const LogHead head = events.head();
    clock_.start(head, written_leaps_,
                 options_.fed ? ClockReading{head.time, head.time} : options_.clock());
    written_time_ = events.head().time;
  });
  now();
}

void Journal::start() {
  thread_ = std::thread([this] { run(); });
}

void Journal::load() {
  slots_.clear();
  store_.read([this](const EventStore& store) {
    last_ = last_entry_ = store.head().last;
    good(store.waiting([this](const WaitingDecision& each) { slots_.emplace_back(each); }));
    if (options_.fed) early_.load(store);
  });
  // A batch whose write failed may still be in the store.
  configuration_.set(stored_configuration(store_, *configuration_.get()));
  committed_.store(last_, std::memory_order_release);
}

Milliseconds Journal::now() {
  const Milliseconds time = options_.fed ? clock_.time() : clock_.advance(options_.clock());
  trusted_.store(clock_.trusted(), std::memory_order_relaxed);
  offset_.store(clock_.offset(), std::memory_order_relaxed);
  if (const auto note = clock_.take_note()) options_.note(*note);
  return time;
}

std::optional<Failure> Journal::closed() const {
  if (options_.fed) return kFed;
  if (broken()) return kNotWritable;
  if (waiting() >= options_.waiting) {
    return Failure{Failure::Code::kOverloaded, "too many events wait for their reward"};
  }
  const std::lock_guard lock(mutex_);
  if (stopping_) return kStopping;
  if (queue_.size() >= options_.queue) {
    return Failure{Failure::Code::kOverloaded, "too many requests wait to be written"};
  }
  return std::nullopt;
}

std::size_t Journal::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Journal::submit(Operation operation) {
  std::optional<Failure> failure;
  {
    const std::lock_guard lock(mutex_);
    if (options_.fed && !std::holds_alternative<FeedOperation>(operation)) {
      failure = kFed;
    } else if (stopping_) {
      failure = kStopping;
    } else if (queue_.size() >= options_.queue) {
      failure = Failure{Failure::Code::kOverloaded, "too many requests wait to be written"};
    } else {
      queue_.push_back(std::move(operation));
    }
  }
  if (failure) return refuse(operation, *failure);
  wake_.notify_one();
}

void Journal::keep_head() {
  {
    const std::lock_guard lock(mutex_);
    keep_head_ = true;
  }
  wake_.notify_one();
}

void Journal::forget(const LogHead& until) {
  {
    const std::lock_guard lock(mutex_);
    forget_ = until;
  }
  wake_.notify_one();
}

void Journal::replace(Replacement replacement) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      replacement_ = std::move(replacement);
      wake_.notify_one();
      return;
    }
  }
  replacement.done(kStopping);
}

void Journal::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Journal::run() {
  std::vector<Operation> operations;
  for (bool stopping = false; !stopping;) {
    {
      std::unique_lock lock(mutex_);
      // Somebody may set the clock, or a test may control it: it is read at least once a second.
      const Milliseconds left = std::clamp<Milliseconds>(until_deadline().value_or(1000), 0, 1000);
      if (broken()) {
        wake_.wait_for(lock, kRetryStore, [this] { return stopping_; });
      } else {
        wake_.wait_for(lock, std::chrono::milliseconds(left), [this] {
          return stopping_ || !queue_.empty() || keep_head_ || forget_ || replacement_;
        });
      }
      operations.clear();
      operations.swap(queue_);
      stopping = stopping_;
    }
    if (broken() && !recover()) {
      refuse_all(operations);
      replace_files();
      continue;
    }
    if (options_.fed) {
      // One batch each. After a failure the store is reopened before the next.
      for (Operation& operation : operations) {
        const std::span alone(&operation, 1);
        if (broken() && !recover()) {
          refuse_all(alone);
        } else {
          commit(alone, false);
        }
      }
      operations.clear();
    }
    commit(operations, stopping);
    clean();
    replace_files();
  }
}

// No exception leaves the thread. Whatever was thrown, nothing was answered yet; reopening the
// store shows whether the batch was written.
void Journal::commit(std::span<Operation> operations, bool stopping) {
  bool keep_head = false;
  {
    const std::lock_guard lock(mutex_);
    std::swap(keep_head, keep_head_);
  }
  std::optional<BatchWork> work;
  try {
    if (options_.fed) {
      finish_expiring();
      for (const Operation& each : operations) clock_.follow(std::get<FeedOperation>(each).time);
    }
    now();
    work.emplace(store_, *configuration_.get(), last_, clock_, options_.fed ? &early_ : nullptr);
    for (Operation& operation : operations) {
      std::visit([&work](auto& any) { work->add(any); }, operation);
    }
    expire(*work);
    write(*work, keep_head, stopping);
    if (options_.fed) finish_expiring();
    early_count_.store(early_.size(), std::memory_order_relaxed);
  } catch (const std::exception& error) {
    broken_.store(true, std::memory_order_relaxed);
    note_safely(options_.note, "the log cannot be written: ", error.what());
    // Operations that would have been refused get this answer too: the reason may depend on what
    // was lost.
    return refuse_all(operations);
  }
  answer(*work);
}

void Journal::write(BatchWork& work, bool keep_head, bool stopping) {
  StoreBatch& batch = work.batch();
  batch.keep_head = keep_head && (last_ > kept_ || !batch.empty());
  // After a restart events have waited until the time that was written last.
  const Milliseconds unwritten = clock_.time() - written_time_;
  const bool save_time = !slots_.empty() && unwritten > (stopping ? 0 : kTimePause);
  if (batch.empty() && batch.rows.empty() && !batch.keep_head && !save_time) return;
  batch.waiting_from = slots_.empty() ? last_ + 1 : slots_.front().decision;
  clock_.forget_leaps(slots_.empty() ? clock_.time() : slots_.front().time);
  if (clock_.leaps() != written_leaps_) batch.leaps = clock_.leaps();
  batch.time = clock_.time();
  batch.trusted_time = clock_.trusted();
  const auto begin = std::chrono::steady_clock::now();
  good(store_.write(batch));
  observer_.written(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  last_ = work.last();
  written_time_ = batch.time;
  if (batch.leaps) written_leaps_ = std::move(*batch.leaps);
  // If this batch completed events, the head does not say so yet: then it is kept once more.
  if (batch.keep_head && work.settled().empty()) kept_ = last_;
  if (!batch.entries.empty()) last_entry_ = batch.entries.back().first;
  if (work.configured()) {
    configuration_.set(std::make_shared<const Configuration>(*work.configured()));
  }
  // Counted first: who sees what was written, or that an event no longer waits, sees the counts
  // too.
  for (const auto& report : work.reports()) {
    call_safely(options_.note, "an operation could not be counted: ", [&] { report(observer_); });
  }
  committed_.store(last_, std::memory_order_release);
  tell_learner();
  update_slots(work);
}

void Journal::tell_learner() {
  call_safely(options_.note, "the learner could not be woken: ", [this] {
    options_.committed(last_, last_entry_);
  });
}

void Journal::answer(BatchWork& work) {
  for (const auto& each : work.answers()) {
    call_safely(options_.note, "an answer could not be given: ", each);
  }
}

bool Journal::recover() {
  try {
    good(store_.reopen());
    load();
  } catch (const std::exception& error) {
    call_safely(options_.note, "", [&] {
      const std::string why = error.what();
      if (why != last_trouble_) options_.note("the log cannot be opened yet: " + why);
      last_trouble_ = why;
    });
    return false;
  }
  last_trouble_.clear();
  broken_.store(false, std::memory_order_relaxed);
  note_safely(options_.note, "the log can be written again", "");
  tell_learner();
  open_.store(slots_.size(), std::memory_order_release);
  return true;
}

void Journal::clean() {
  std::optional<LogHead> until;
  {
    const std::lock_guard lock(mutex_);
    until.swap(forget_);
  }
  if (!until || broken()) return;
  try {
    const LogHead before = store_.read([](const EventStore& store) { return store.base(); });
    good(store_.forget(*until));
    options_.removed(before, *until);
  } catch (const std::exception& error) {
    broken_.store(true, std::memory_order_relaxed);
    note_safely(options_.note, "the log cannot be cleaned: ", error.what());
  }
}

void Journal::replace_files() {
  std::optional<Replacement> with;
  {
    const std::lock_guard lock(mutex_);
    with.swap(replacement_);
  }
  if (!with) return;
  const auto answer = [&](Status status) {
    call_safely(options_.note,
                "an answer could not be given: ", [&] { with->done(std::move(status)); });
  };
  if (broken()) return answer(kNotWritable);
  try {
    if (!with->prepare()) return answer(Done{});
  } catch (const std::exception& error) {
    return answer(Failure{Failure::Code::kUnavailable, error.what()});
  }
  Status replaced = Done{};
  try {
    replaced = store_.reopen(with->replace);
  } catch (const std::exception& error) {
    replaced = Failure{Failure::Code::kUnavailable, error.what()};
  }
  if (!replaced.ok()) {
    broken_.store(true, std::memory_order_relaxed);
    note_safely(options_.note, "the log cannot be replaced: ", replaced.failure().message.c_str());
  }
  answer(std::move(replaced));
}

}  // namespace sau::detail
