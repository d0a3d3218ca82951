#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sau/serve/configuration.hpp"
#include "serve/current.hpp"
#include "serve/replayer.hpp"
#include "serve/shared_store.hpp"

namespace sau::detail {

// The model that makes decisions.
struct PublishedModel {
  std::shared_ptr<const OfferAgent> agent;
  Sequence version = 0;  // the latest entry of the log that changed it
  Milliseconds time = 0;
  std::vector<float> member_weights = {};  // of a committee, in the order of its members
};

struct LearnedSoFar {
  Sequence version = 0;
  std::uint64_t events = 0;
  std::string model;
};

struct LearnerOptions {
  std::filesystem::path folder;
  std::chrono::milliseconds snapshot_every{60'000};
  // How many earlier models are kept, and how far apart they are at least.
  std::size_t versions = 0;
  std::chrono::milliseconds version_every{3'600'000};
  std::function<Milliseconds()> clock;
  std::function<void(const std::string&)> note;
  std::function<void(const Lesson&)> learned;  // called by the learner thread
  // A model that has read the log up to here is on disk. Returns whether it wants to be called
  // again soon, even if there is no newer one. Called by the learner thread.
  std::function<bool(Sequence position)> snapshotted;
  // Called by the learner thread when the evidence about this trial's candidate is enough, again
  // and again until the log says that the trial has ended.
  std::function<void(const std::string& trial, GateOutcome verdict)> judged;
};

// The thread that learns. It follows the log, publishes its model, and writes it to disk now and
// then. Rewards that it has not read yet wait on disk, not in memory.
class Learner {
 public:
  // Publishes the replayer's model. start() starts the thread.
  Learner(SharedStore& store, const Current<Configuration>& configuration, Replayer replayer,
          LearnerOptions options);
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  ~Learner() { stop(); }

  void start();

  // Records up to `committed` are on disk and may be learned; `last_entry` is the latest entry of
  // these. Decisions alone do not wake the thread: nothing is learned from them.
  void follow(Sequence committed, Sequence last_entry);

  std::shared_ptr<const PublishedModel> published() const { return published_.get(); }
  // Includes what is not published yet. Waits for the entry that is being learned.
  LearnedSoFar learned() const;
  Sequence position() const noexcept { return position_.load(std::memory_order_acquire); }
  // Records up to the latest entry that are not learned yet.
  std::uint64_t lag() const;

  // The trial that runs, or else the latest.
  std::optional<GateState> gate() const { return *gate_.get(); }
  // Lets the thread write the model to disk as soon as possible.
  void hurry();

  // Returns when everything up to `sequence` is learned and published, or when it is stopped.
  void wait_for(Sequence sequence);
  // Ends the thread and writes the model; writes nothing if the thread was never started.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void turn(Sequence until, Sequence wanted);
  // Returns false when it got stuck.
  bool learn_some(Sequence until);
  // Looks at the trial. If there is time, also publishes its state.
  void judge(bool at_leisure);
  // Says why, once. Returns false.
  bool get_stuck(const char* why) noexcept;
  void publish();
  // Everything learned is published.
  void set_usable();
  void snapshot();
  // Keeps the present model, to go back to.
  void keep_version();
  // Calls options_.snapshotted.
  void report_snapshot();

  SharedStore& store_;
  const Current<Configuration>& configuration_;
  LearnerOptions options_;

  mutable std::mutex agent_mutex_;  // held while learning and saving, never while deciding
  Replayer replayer_;
  Current<PublishedModel> published_;
  Current<std::optional<GateState>> gate_;
  std::atomic<Sequence> position_;  // everything up to here is learned
  std::atomic<Sequence> usable_;    // everything up to here is learned and published

  mutable std::mutex mutex_;
  std::condition_variable wake_, settled_;
  Sequence committed_ = 0, last_entry_ = 0, wanted_ = 0;
  bool stopping_ = false;
  std::atomic<bool> hurried_{false};

  // Used only by the learner thread.
  Sequence snapshot_position_ = 0;
  Clock::time_point last_publish_{}, last_snapshot_ = Clock::now(), next_call_ = Clock::now();
  Clock::time_point last_version_ = Clock::now();
  Sequence kept_version_ = 0;
  Clock::duration publish_cost_{}, call_pause_{};
  Clock::time_point next_shown_{};
  std::optional<std::pair<std::string, GateOutcome>> verdict_;  // about the trial that runs
  bool stuck_ = false, called_again_ = false;
  std::thread thread_;
};

}  // namespace sau::detail
