#include "serve/learner.hpp"

#include <algorithm>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 256;
// Copies for readers take at most one part in this of the time, and what changes after one was
// taken has to be copied first: under load many rewards should share that.
constexpr int kPublishShare = 10;
constexpr auto kPublishPause = 2ms;
constexpr auto kRetry = 500ms;

}  // namespace

Learner::Learner(SharedStore& store, const Current<Configuration>& configuration, Replayer replayer,
                 LearnerOptions options)
    : store_(store),
      configuration_(configuration),
      options_(std::move(options)),
      replayer_(std::move(replayer)),
      published_(nullptr),
      position_(replayer_.position()),
      usable_(replayer_.position()),
      snapshot_position_(replayer_.position()) {
  publish();
  thread_ = std::thread([this] { run(); });
}

void Learner::follow(Sequence committed, Sequence last_entry) {
  {
    const std::lock_guard lock(mutex_);
    committed_ = std::max(committed_, committed);
    last_entry_ = std::max(last_entry_, last_entry);
    if (last_entry_ <= position_) return;
  }
  wake_.notify_one();
}

std::uint64_t Learner::lag() const {
  const std::lock_guard lock(mutex_);
  const Sequence position = position_;
  return last_entry_ > position ? last_entry_ - position : 0;
}

LearnedSoFar Learner::learned() const {
  const std::lock_guard lock(agent_mutex_);
  return {replayer_.version(), replayer_.agent().learned(), replayer_.model()};
}

std::vector<ActionRecord> Learner::actions(std::size_t limit) const {
  const std::lock_guard lock(agent_mutex_);
  return replayer_.agent().actions(limit);
}

std::size_t Learner::action_count() const {
  const std::lock_guard lock(agent_mutex_);
  return replayer_.agent().action_count();
}

std::string Learner::fault() const {
  const std::lock_guard lock(agent_mutex_);
  return replayer_.agent().fault();
}

void Learner::wait_for(Sequence sequence) {
  std::unique_lock lock(mutex_);
  wanted_ = std::max(wanted_, sequence);
  wake_.notify_one();
  settled_.wait(lock, [&] { return stopping_ || usable_ >= sequence; });
}

void Learner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  settled_.notify_all();
  if (!thread_.joinable()) return;
  thread_.join();
  snapshot();
}

void Learner::run() {
  for (;;) {
    Sequence until = 0, wanted = 0;
    {
      std::unique_lock lock(mutex_);
      const auto busy = [this] {
        return stopping_ || last_entry_ > position_ ||
               (wanted_ > usable_ && (position_ >= wanted_ || committed_ > position_));
      };
      // What was learned but not published, or not written, wakes it by itself.
      if (!busy() || stuck_) {
        wake_.wait_for(lock,
                       stuck_                ? kRetry
                       : position_ > usable_ ? 1ms
                                             : 100ms,
                       [this, &busy] { return stuck_ ? stopping_ : busy(); });
      }
      if (stopping_) return;
      until = committed_;
      wanted = wanted_;
    }
    if (until > position_) learn_some(until);
    const auto now = Clock::now();
    const auto frequency = std::chrono::milliseconds(configuration_.get()->model_export_frequency);
    const auto pause =
        std::max<Clock::duration>({frequency, kPublishPause, kPublishShare * publish_cost_});
    const bool waited_for = wanted > usable_ && position_ >= wanted;
    if (position_ > usable_ && (waited_for || now >= last_publish_ + pause)) publish();
    if (position_ > snapshot_position_ && now >= last_snapshot_ + options_.snapshot_every) {
      snapshot();
    }
  }
}

void Learner::learn_some(Sequence until) {
  std::vector<std::pair<Sequence, Entry>> entries;
  const Sequence from = position_ + 1;
  Sequence reached = until;
  const Status status = store_.read([&](const EventStore& store) {
    return store.entries(from, [&](Sequence sequence, Entry entry) {
      if (sequence > until) return false;
      if (entries.size() == kAtOnce) {
        reached = sequence - 1;
        return false;
      }
      entries.emplace_back(sequence, std::move(entry));
      return true;
    });
  });
  std::optional<Failure> failure;
  if (!status.ok()) failure = status.failure();
  std::vector<Lesson> lessons;
  bool changed = true;
  if (!failure) {
    const std::lock_guard lock(agent_mutex_);
    for (const auto& [sequence, entry] : entries) {
      auto lesson = store_.read([&, s = sequence, &e = entry](const EventStore& store) {
        return replayer_.apply(s, e, store);
      });
      if (!lesson.ok()) {
        failure = lesson.failure();
        break;
      }
      if (lesson.value()) lessons.push_back(std::move(*lesson.value()));
    }
    if (!failure) replayer_.reach(reached);
    changed = replayer_.version() != published_.get()->version;
    position_.store(replayer_.position(), std::memory_order_release);
  }
  for (const Lesson& lesson : lessons) options_.learned(lesson);
  if (!changed) set_usable();
  if (failure) {
    if (!stuck_) options_.note("learning stopped and will be tried again: " + failure->message);
    stuck_ = true;
    return;
  }
  stuck_ = false;
}

void Learner::publish() {
  const auto begin = Clock::now();
  auto next = std::make_shared<PublishedModel>();
  {
    const std::lock_guard lock(agent_mutex_);
    next->agent = replayer_.agent().published();
    next->version = replayer_.version();
  }
  next->time = options_.clock();
  published_.set(std::move(next));
  last_publish_ = Clock::now();
  publish_cost_ = last_publish_ - begin;
  set_usable();
}

void Learner::set_usable() {
  {
    const std::lock_guard lock(mutex_);
    usable_.store(position_, std::memory_order_release);
  }
  settled_.notify_all();
}

void Learner::snapshot() {
  last_snapshot_ = Clock::now();
  // A folder that was served from has a model, even if there was no time to read the log.
  if (position_ == snapshot_position_ && std::filesystem::exists(snapshot_file(options_.folder))) {
    return;
  }
  std::string bytes;
  Sequence position = 0;
  {
    const std::lock_guard lock(agent_mutex_);
    bytes = replayer_.model();
    position = replayer_.position();
  }
  try {
    write_file(snapshot_file(options_.folder), bytes);
  } catch (const Error& error) {
    return options_.note(std::string("the model could not be written: ") + error.what());
  }
  snapshot_position_ = position;
  options_.snapshotted(position);
}

}  // namespace sau::detail
