#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sau/agent/offer_agent.hpp"
#include "sau/store/event_store.hpp"
#include "serve/shared_store.hpp"
#include "serve/trial.hpp"

namespace sau::detail {

// A completed event, for the counters.
struct Lesson {
  double reward = 0.0, probability = 0.0;  // of the chosen action
  bool is_baseline = false;                // the caller's first action was chosen
};

// An agent that learns from the log, entry by entry. Used by the server, and to check the server's
// model. Its state depends only on the entries.
class Replayer {
 public:
  // Begins with the agent that the folder was made with; the log may say that another follows.
  Replayer(std::filesystem::path folder, std::string spec, std::uint64_t seed);

  // Loads a model file of the present agent; throws Error when it belongs to another one.
  void load(std::string_view bytes, const std::string& name);
  // Loads a model file that a Replayer of this folder has made, whatever its agent was by then.
  // Throws Error when its seed is another one.
  void load_own(std::string_view bytes, const std::string& name);
  // Loads base.sau in the same way, if there is one; returns whether there is.
  bool load_base();

  // Entries must come in order. Fails if the store or a model file fails. Applying the same entry
  // again continues where it failed.
  Result<std::vector<Lesson>> apply(Sequence sequence, const Entry& entry, const EventStore& store);
  // The same for an entry about this decision alone, which need not be in a store yet.
  std::optional<Failure> apply(Sequence sequence, const Entry& entry,
                               const DecisionLesson& decision);
  // Applies the entries after position(), up to here, that complete events, and leaves out those
  // that change the model in other ways. Another agent made these decisions: what counts as
  // predicted is what this one predicts when it learns.
  std::optional<Failure> catch_up(Sequence until, const EventStore& store);
  // Lets the trial, if there is one, look at what was settled up to position().
  std::optional<Failure> follow_trial(const EventStore& store);
  // Whether no entry is half applied, and the trial is up to date, as everything() requires.
  bool between_entries() const noexcept {
    return within_ == 0 && !unfinished_ && (!trial_ || trial_position_ == position_);
  }

  // Whether an entry is applied to a part of its decisions only.
  bool half_applied() const noexcept { return within_ != 0; }

  // Everything up to here was applied; for a log that ends in decisions.
  void reach(Sequence sequence) noexcept { position_ = sequence; }

  // The agent alone; and the agent with the trial, for load_own().
  std::string model() const;
  std::string everything() const;
  const Trial* trial() const noexcept { return trial_.get(); }
  // The trial that runs, or else the latest one that has ended.
  std::optional<GateState> gate() const;
  const std::string& spec() const noexcept { return spec_; }  // of the present agent
  OfferAgent& agent() noexcept { return *agent_; }
  const OfferAgent& agent() const noexcept { return *agent_; }
  Sequence position() const noexcept { return position_; }
  // The latest entry that changed the agent.
  Sequence version() const noexcept { return version_; }
  const std::string& schema() const noexcept { return schema_; }

 private:
  void take(std::string_view bytes, const std::string& name);
  // A Replayer with another agent, which has learned nothing, or what is in the model file.
  Replayer with_agent(const std::string& spec) const;
  std::optional<Failure> set_policy(Sequence sequence, const std::string& text,
                                    const EventStore& store);
  std::optional<Failure> begin_trial(Sequence sequence, const std::string& text);
  std::optional<Failure> end_trial(Sequence sequence, const std::string& text,
                                   const EventStore& store);
  // The part of a file that is about trials.
  void save_trial(StateWriter& writer) const;
  void load_trial(StateReader& reader);
  Result<std::vector<Lesson>> learn(Sequence sequence, std::span<const Sequence> decisions,
                                    double reward, const EventStore& store);
  std::optional<Failure> learn(Sequence sequence, const DecisionLesson& decision, double reward);
  // Learns from the log again, without the decisions that are struck by now.
  std::optional<Failure> rebuild(Sequence until, const EventStore& store);
  // The same, only if a lesson was interrupted.
  std::optional<Failure> mend(Sequence until, const EventStore& store);
  // Calls teach(), and remembers it if an exception interrupts that.
  auto whole(auto&& teach) {
    unfinished_ = true;
    auto result = teach();
    unfinished_ = false;
    return result;
  }

  std::filesystem::path folder_;
  std::string first_spec_, spec_;
  std::uint64_t seed_;
  std::unique_ptr<OfferAgent> agent_;
  std::string schema_;
  Sequence position_ = 0, version_ = 0;
  // Nothing was learned from a decision that an entry up to here has struck; 0 before anything is
  // learned. A later entry may strike what was learned.
  Sequence strikes_known_until_ = 0;
  std::unique_ptr<Trial> trial_;
  Sequence trial_begun_ = 0, trial_position_ = 0;
  std::optional<GateState> ended_;  // the latest trial that has ended
  bool by_others_ = false;          // it learns from decisions of another agent
  std::size_t within_ = 0;          // how many decisions of the next entry are learned already
  // An exception, such as a lack of memory, has interrupted a lesson: nobody knows which part of it
  // was learned.
  bool unfinished_ = false;
};

// An agent that has learned from all events in the log, in the order in which they were completed,
// up to its position. No decision before `from` waited then.
struct TrainedOnLog {
  Replayer replayer;
  Sequence from = 1;
};
// Reads the log in small pieces. Throws Error on failure, and when `stop` becomes true.
TrainedOnLog trained_on_log(const std::filesystem::path& folder, const std::string& spec,
                            std::uint64_t seed, const SharedStore& store,
                            const std::atomic<bool>& stop);

// Paths in the folder of a service.
std::filesystem::path snapshot_file(const std::filesystem::path& folder);
// The model that replaces the beginning of the log, once that was removed.
std::filesystem::path base_file(const std::filesystem::path& folder);
std::filesystem::path loaded_file(const std::filesystem::path& folder, const std::string& name);
std::filesystem::path log_folder(const std::filesystem::path& folder);
std::filesystem::path settings_file(const std::filesystem::path& folder);

}  // namespace sau::detail
