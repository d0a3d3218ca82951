#include "serve/journal.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "serve/batch_work.hpp"

namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kExpiredAtOnce = 1000;
constexpr auto kRetryStore = 200ms;
constexpr Milliseconds kDay = 24LL * 60 * 60 * 1000;
// Waiting events that were settled are removed from the front only, and from the store not at all;
// this many more than are open are too many.
constexpr std::size_t kSlack = 4096;

void refuse(Operation& operation, const Failure& failure) {
  std::visit([&failure](auto& any) { any.done(failure); }, operation);
}

}  // namespace

std::shared_ptr<const Configuration> stored_configuration(const SharedStore& store) {
  const auto found = store.read([](const EventStore& events) { return events.configuration(); });
  if (!found.ok()) throw Error(found.failure().message);
  if (!found.value()) return std::make_shared<const Configuration>();
  const auto read = read_configuration(*found.value(), {});
  if (!read.ok()) throw Error("the stored configuration: " + read.failure().message);
  return std::make_shared<const Configuration>(read.value());
}

Journal::Journal(SharedStore& store, Current<Configuration>& configuration,
                 JournalObserver& observer, JournalOptions options)
    : store_(store),
      configuration_(configuration),
      observer_(observer),
      options_(std::move(options)) {
  load();
  thread_ = std::thread([this] { run(); });
}

void Journal::load() {
  const auto [last, waiting] =
      store_.read([](const EventStore& store) { return std::pair(store.last(), store.waiting()); });
  if (!last.ok()) throw Error(last.failure().message);
  if (!waiting.ok()) throw Error(waiting.failure().message);
  last_ = last_entry_ = last.value();
  slots_.clear();
  for (const Waiting& each : waiting.value()) {
    slots_.push_back({each.decision, each.time, false});
    latest_time_ = std::max(latest_time_, each.time);
  }
  listed_ = slots_.size();
  open_.store(slots_.size(), std::memory_order_relaxed);
  // A batch whose writing failed may be in the store all the same.
  configuration_.set(stored_configuration(store_));
  committed_.store(last_, std::memory_order_release);
}

// Never goes back: what comes later in the log is not earlier in time.
Milliseconds Journal::now() { return latest_time_ = std::max(latest_time_, options_.clock()); }

std::optional<Failure> Journal::closed() const {
  if (broken()) {
    return Failure{Failure::Code::kUnavailable, "the log cannot be written at the moment"};
  }
  if (waiting() >= options_.waiting) {
    return Failure{Failure::Code::kOverloaded, "too many events wait for their reward"};
  }
  const std::lock_guard lock(mutex_);
  if (stopping_) return Failure{Failure::Code::kUnavailable, "the service is stopping"};
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
    if (stopping_) {
      failure = Failure{Failure::Code::kUnavailable, "the service is stopping"};
    } else if (queue_.size() >= options_.queue) {
      failure = Failure{Failure::Code::kOverloaded, "too many requests wait to be written"};
    } else {
      queue_.push_back(std::move(operation));
    }
  }
  if (failure) return refuse(operation, *failure);
  wake_.notify_one();
}

void Journal::forget_before(Sequence first, std::function<void()> before) {
  const std::lock_guard lock(mutex_);
  forget_before_ = first;
  before_forgetting_ = std::move(before);
}

void Journal::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

std::optional<Milliseconds> Journal::next_deadline() const {
  if (slots_.empty()) return std::nullopt;
  return slots_.front().time + configuration_.get()->reward_wait_time;
}

void Journal::run() {
  std::vector<Operation> operations;
  for (bool stopping = false; !stopping;) {
    {
      std::unique_lock lock(mutex_);
      const auto busy = [this] { return stopping_ || !queue_.empty(); };
      if (broken()) {
        wake_.wait_for(lock, kRetryStore, [this] { return stopping_; });
      } else if (const auto deadline = next_deadline()) {
        // The clock may be turned, or be a test's: look at it again at least once a second.
        const Milliseconds left = *deadline - options_.clock() + 1;
        wake_.wait_for(lock, std::chrono::milliseconds(std::clamp<Milliseconds>(left, 0, 1000)),
                       busy);
      } else {
        wake_.wait_for(lock, 1s, busy);
      }
      operations.clear();
      operations.swap(queue_);
      stopping = stopping_;
    }
    if (broken() && !recover()) {
      for (Operation& operation : operations) {
        refuse(operation, {Failure::Code::kUnavailable, "the log cannot be written at the moment"});
      }
      continue;
    }
    commit(operations);
    clean();
  }
}

void Journal::commit(std::vector<Operation>& operations) {
  const Milliseconds time = now();
  const auto configuration = configuration_.get();
  BatchWork work(store_, *configuration, last_, time);
  for (Operation& operation : operations) {
    std::visit([&work](auto& any) { work.add(any); }, operation);
  }
  expire(work);
  StoreBatch& batch = work.batch();
  if (!batch.empty()) {
    const std::size_t added = batch.waiting.size();
    if (too_many(listed_)) list_all(batch);
    if (const Status status = store_.write(batch); !status.ok()) {
      broken_.store(true, std::memory_order_relaxed);
      options_.note("the log cannot be written: " + status.failure().message);
      // Those that would have been refused get this answer as well: they may depend on what was
      // lost.
      for (Operation& operation : operations) {
        refuse(operation, {Failure::Code::kUnavailable, "the log cannot be written at the moment"});
      }
      return;
    }
    last_ = work.last();
    if (!batch.entries.empty()) last_entry_ = batch.entries.back().first;
    for (const auto& [decision, when] : std::span(batch.waiting).last(added)) {
      slots_.push_back({decision, when, false});
    }
    for (const Sequence decision : work.settled()) settle(decision);
    open_.fetch_add(added - work.settled().size(), std::memory_order_relaxed);
    listed_ = batch.all_waiting ? batch.waiting.size() : listed_ + added;
    if (work.configured()) {
      configuration_.set(std::make_shared<const Configuration>(*work.configured()));
    }
    committed_.store(last_, std::memory_order_release);
    options_.committed(last_, last_entry_);
    for (const auto& report : work.reports()) report(observer_);
  }
  for (const auto& answer : work.answers()) answer();
}

void Journal::settle(Sequence decision) {
  const auto slot = std::ranges::lower_bound(slots_, decision, {}, &Slot::decision);
  if (slot != slots_.end() && slot->decision == decision) slot->settled = true;
  while (!slots_.empty() && slots_.front().settled) slots_.pop_front();
  if (too_many(slots_.size())) {
    std::erase_if(slots_, [](const Slot& each) { return each.settled; });
  }
}

bool Journal::too_many(std::size_t listed) const noexcept {
  return listed > 2 * (open_.load(std::memory_order_relaxed) + kSlack);
}

void Journal::list_all(StoreBatch& batch) const {
  std::vector<Waiting> all;
  all.reserve(waiting() + batch.waiting.size());
  for (const Slot& slot : slots_) {
    if (!slot.settled) all.push_back({slot.decision, slot.time});
  }
  all.insert(all.end(), batch.waiting.begin(), batch.waiting.end());
  batch.waiting = std::move(all);
  batch.all_waiting = true;
}

void Journal::expire(BatchWork& work) {
  const Milliseconds wait = configuration_.get()->reward_wait_time;
  std::size_t count = 0;
  for (const Slot& slot : slots_) {
    if (latest_time_ <= slot.time + wait || count == kExpiredAtOnce) break;
    if (slot.settled) continue;
    if (const auto failure = work.expire(slot.decision)) {
      options_.note("an event could not be completed: " + failure->message);
      break;
    }
    ++count;
  }
}

bool Journal::recover() {
  const auto failed = [this](const std::string& why) {
    if (why != last_trouble_) options_.note("the log cannot be opened yet: " + why);
    last_trouble_ = why;
    return false;
  };
  if (const Status status = store_.reopen(); !status.ok()) return failed(status.failure().message);
  try {
    load();
  } catch (const Error& error) {
    return failed(error.what());
  }
  last_trouble_.clear();
  broken_.store(false, std::memory_order_relaxed);
  options_.note("the log can be written again");
  options_.committed(last_, last_entry_);
  return true;
}

void Journal::clean() {
  Sequence first = 0;
  std::function<void()> before;
  {
    const std::lock_guard lock(mutex_);
    std::swap(first, forget_before_);
    before.swap(before_forgetting_);
  }
  const std::int64_t days = configuration_.get()->log_retention_days;
  if (first == 0 || days < 0) return;
  const Sequence learned = first;  // all before it
  if (!slots_.empty()) first = std::min(first, slots_.front().decision);
  first = std::min(first, last_);  // the numbers go on from the last record, also after a restart
  // From the oldest, which the last cleaning left, to the first that is young enough.
  const Milliseconds oldest = now() - days * kDay;
  Sequence kept = first;
  bool any = false;
  const Status status = store_.read([&](const EventStore& store) {
    return store.decisions(0, [&](Sequence sequence, const Decision& decision) {
      bool old = sequence < first && decision.time < oldest;
      if (old) {
        // What completed it may not be learned yet, and is worth nothing without it.
        const auto state = store.event(decision.event_id);
        old = state.ok() && state.value() && state.value()->completed_by < learned;
      }
      if (old) {
        any = true;
      } else {
        kept = std::min(first, sequence);
      }
      return old;
    });
  });
  if (!status.ok()) return options_.note(status.failure().message);
  if (!any) return;
  before();
  if (const Status done = store_.forget(kept); !done.ok()) {
    broken_.store(true, std::memory_order_relaxed);
    options_.note("the log cannot be cleaned: " + done.failure().message);
  }
}

}  // namespace sau::detail
