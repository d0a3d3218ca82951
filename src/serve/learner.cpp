#include "serve/learner.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/model_file.hpp"
#include "serve/safe_note.hpp"
#include "serve/versions.hpp"

namespace sau::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 256;
// Publishing takes at most this fraction of the time, 1/10. After a copy was published, learning
// must copy what it changes: under load many rewards should share that cost.
constexpr int kPublishShare = 10;
constexpr auto kPublishPause = 2ms, kLaggingPause = 50ms;
constexpr auto kRetry = 500ms, kCallAgain = 100ms;
// Under load, what is shown of a trial is this old at most: its interval takes a while to compute.
constexpr auto kShowPause = 200ms;
constexpr int kNice = 19;

// Whether this entry puts another model in place of the present one.
bool replaces_model(EntryKind kind) {
  return kind == EntryKind::kModelReset || kind == EntryKind::kModelLoaded ||
         kind == EntryKind::kPolicy || kind == EntryKind::kTrialEnded;
}

}  // namespace

Learner::Learner(SharedStore& store, const Current<Configuration>& configuration, Replayer replayer,
                 LearnerOptions options)
    : store_(store),
      configuration_(configuration),
      options_(std::move(options)),
      replayer_(std::move(replayer)),
      published_(nullptr),
      gate_(std::make_shared<const std::optional<GateState>>(replayer_.gate())),
      position_(replayer_.position()),
      usable_(replayer_.position()),
      snapshot_position_(replayer_.position()) {
  publish();
  judge(true);
}

void Learner::start() {
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
  // Decisions come first: under full load the learner falls behind, and catches up later.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
  for (;;) {
    Sequence until = 0, wanted = 0;
    {
      std::unique_lock lock(mutex_);
      const auto busy = [this] {
        return stopping_ || hurried_ || last_entry_ > position_ ||
               (wanted_ > usable_ && (position_ >= wanted_ || committed_ > position_));
      };
      // Wakes by itself to publish or to write what was learned.
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
    // No exception leaves the thread: whatever failed is tried again.
    try {
      turn(until, wanted);
    } catch (const std::exception& error) {
      get_stuck(error.what());
    }
  }
}

void Learner::turn(Sequence until, Sequence wanted) {
  const bool learned = until <= position_ || learn_some(until);
  if (verdict_) options_.judged(verdict_->first, verdict_->second);
  const auto now = Clock::now();
  const auto frequency = std::chrono::milliseconds(configuration_.get()->model_export_frequency);
  // When it lags, publish less often: the rewards that wait are older than this pause anyway, and
  // after every published copy the next lessons must copy what they change.
  const Clock::duration least = until > position_ ? kLaggingPause : kPublishPause;
  const auto pause = std::max<Clock::duration>({frequency, least, kPublishShare * publish_cost_});
  const bool waited_for = wanted > usable_ && position_ >= wanted;
  if (position_ > usable_ && (waited_for || now >= last_publish_ + pause)) publish();
  if (learned) stuck_ = false;
  if (now >= last_version_ + options_.version_every) keep_version();
  const bool due = hurried_.exchange(false) || now >= last_snapshot_ + options_.snapshot_every ||
                   (called_again_ && now >= next_call_);
  if (!due) return;
  if (position_ > snapshot_position_) return snapshot();
  last_snapshot_ = now;
  // Events grow old even when nothing happens.
  if (std::filesystem::exists(snapshot_file(options_.folder))) report_snapshot();
}

void Learner::judge(bool at_leisure) {
  const auto now = Clock::now();
  const bool show = at_leisure || now >= next_shown_;
  std::shared_ptr<const std::optional<GateState>> gate;
  {
    const std::lock_guard lock(agent_mutex_);
    verdict_.reset();
    if (const Trial* const trial = replayer_.trial()) {
      if (const auto found = trial->verdict()) verdict_.emplace(trial->plan().id, *found);
    }
    if (show) gate = std::make_shared<const std::optional<GateState>>(replayer_.gate());
  }
  if (!show) return;
  gate_.set(std::move(gate));
  next_shown_ = now + kShowPause;
}

void Learner::hurry() {
  {
    const std::lock_guard lock(mutex_);
    hurried_ = true;
  }
  wake_.notify_one();
}

void Learner::report_snapshot() {
  const bool again = options_.snapshotted(snapshot_position_);
  // Called less and less often, because what it waits for may take long.
  call_pause_ = called_again_ && again ? 2 * call_pause_ : Clock::duration(kCallAgain);
  called_again_ = again;
  next_call_ = Clock::now() + call_pause_;
}

bool Learner::get_stuck(const char* why) noexcept {
  if (!stuck_) note_safely(options_.note, "learning stopped and will be tried again: ", why);
  stuck_ = true;
  return false;
}

bool Learner::learn_some(Sequence until) {
  std::vector<std::pair<Sequence, Entry>> entries;
  const Sequence from = position_ + 1;
  Sequence reached = until;
  std::size_t decisions = 0;
  const Status status = store_.read([&](const EventStore& store) {
    return store.entries(from, [&](Sequence sequence, Entry entry) {
      if (sequence > until) return false;
      if (decisions >= kAtOnce) {
        reached = sequence - 1;
        return false;
      }
      decisions += std::max<std::size_t>(entry.missing.size(), 1);
      entries.emplace_back(sequence, std::move(entry));
      return true;
    });
  });
  if (!status.ok()) return get_stuck(status.failure().message.c_str());
  std::optional<Failure> failure;
  for (const auto& [sequence, entry] : entries) {
    if (replaces_model(entry.kind)) keep_version();
    Result<std::vector<Lesson>> lessons = std::vector<Lesson>();
    {
      // Locked for one entry at a time, so that others who need the model do not wait for all of
      // them.
      const std::lock_guard lock(agent_mutex_);
      lessons = store_.read([&, s = sequence, &e = entry](const EventStore& store) {
        return replayer_.apply(s, e, store);
      });
      position_.store(replayer_.position(), std::memory_order_release);
    }
    if (!lessons.ok()) {
      failure = lessons.failure();
      break;
    }
    for (const Lesson& lesson : lessons.value()) options_.learned(lesson);
  }
  bool changed = true;
  {
    const std::lock_guard lock(agent_mutex_);
    if (!failure) {
      replayer_.reach(reached);
      failure =
          store_.read([this](const EventStore& store) { return replayer_.follow_trial(store); });
    }
    changed = replayer_.version() != published_.get()->version;
    position_.store(replayer_.position(), std::memory_order_release);
  }
  judge(position_ >= until);
  if (!changed) set_usable();
  return failure ? get_stuck(failure->message.c_str()) : true;
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
  for (const MemberRecord& member : next->agent->members()) {
    next->member_weights.push_back(static_cast<float>(member.weight));
  }
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

void Learner::keep_version() {
  last_version_ = Clock::now();
  if (options_.versions == 0) return;
  try {
    ModelVersion version;
    std::string model;
    {
      const std::lock_guard lock(agent_mutex_);
      version.version = replayer_.version();
      if (version.version == kept_version_ || replayer_.half_applied()) return;
      version.agent = replayer_.spec();
      version.learned = replayer_.agent().learned();
      model = replayer_.model();
    }
    version.time = options_.clock();
    version.bytes = model.size();
    version.checksum = model_checksum(model);
    detail::keep_version(options_.folder, version, model, options_.versions);
    kept_version_ = version.version;
  } catch (const std::exception& error) {
    note_safely(options_.note, "the model could not be kept as a version: ", error.what());
  }
}

void Learner::snapshot() {
  last_snapshot_ = Clock::now();
  // Writes the model even if the service is stopped right after it started.
  std::error_code unknown;  // on an error it is written too
  if (position_ == snapshot_position_ &&
      std::filesystem::exists(snapshot_file(options_.folder), unknown)) {
    return;
  }
  std::string bytes;
  Sequence position = 0;
  try {
    {
      const std::lock_guard lock(agent_mutex_);
      if (!replayer_.between_entries()) return;
      bytes = replayer_.everything();
      position = replayer_.position();
    }
    write_file(snapshot_file(options_.folder), bytes);
    snapshot_position_ = position;
    report_snapshot();
  } catch (const std::exception& error) {
    note_safely(options_.note, "the model could not be written: ", error.what());
  }
}

}  // namespace sau::detail
