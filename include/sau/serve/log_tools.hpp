#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sau/serve/erased.hpp"
#include "sau/store/record.hpp"

namespace sau {

// Tools for the folder of a service. Export, verify, replay and back_up read the log as of one
// moment, even while a server has it open, however long they take.

enum class LogFormat : std::uint8_t {
  kJsonLines,  // everything that is known about an event
  kDsjson,     // as Vowpal Wabbit's --dsjson --cb_explore_adf reads it
};

struct ExportCount {
  std::uint64_t events = 0;
  std::uint64_t left_out = 0;  // without an outcome, never activated, or struck; dsjson only
};

// One line per event, in the order of the decisions. `write` is called with several whole lines at
// a time, on the caller's thread. Lines are made by `threads` threads (0: one per core); the number
// does not change them. Throws Error when the log is damaged.
ExportCount export_log(const std::filesystem::path& folder, LogFormat format,
                       const std::function<void(const std::string& lines)>& write,
                       unsigned threads = 0);

struct LogCheck {
  std::uint64_t decisions = 0, entries = 0;
  Sequence first = 0, last = 0;
  std::uint64_t waiting = 0;
};

// Reads every record and checks that they fit together: checksums are right, no number is missing,
// every entry is about a decision that exists, every event's state follows from its entries. Throws
// Error at the first fault.
LogCheck verify_log(const std::filesystem::path& folder);

struct ReplayCheck {
  Sequence position = 0;  // of the model on disk; the replay ends there
  std::uint64_t learned = 0;
  std::string agent, stored, replayed;  // spec; checksums of the two models
  bool from_base = false;               // the beginning of the log has been removed
  bool same = false;
};

// Learns from the log again, as far as the model on disk has, and compares the two models.
ReplayCheck replay_log(const std::filesystem::path& folder);

struct BackupCount {
  std::uint64_t records = 0, bytes = 0;  // of the log; of all files
};

// Copies the folder, as of one moment, to a new one and checks the copy as verify_log() does. On
// failure throws Error and leaves nothing behind.
BackupCount back_up(const std::filesystem::path& folder, const std::filesystem::path& to);

struct ImportOptions {
  // For the new folder; see ServiceOptions.
  std::string agent = {};
  std::optional<std::uint64_t> seed = {};
  bool skip_faulty = false;  // leave out lines with a fault instead of giving up
  // Called with one sentence for each thing that the user should know.
  std::function<void(const std::string&)> note = {};
};

struct ImportCount {
  std::uint64_t events = 0;   // in the log now
  std::uint64_t learned = 0;  // of these, the model has learned from
  double mean_reward = 0.0;   // of all events that were activated
  std::string agent, checksum;
};

// Makes a new folder from the events of dsjson files (sau/store/dsjson.hpp), in the order given.
// The model has learned from them, each with the reward and the probabilities that it was logged
// with, and `sau serve` continues from there. Throws UsageError when the folder is not new, and
// Error when a file cannot be read or has no event. On failure nothing is left behind.
ImportCount import_log(const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& files,
                       const ImportOptions& options);

// A model that the folder had before, kept to go back to.
struct ModelVersion {
  Sequence version = 0;  // the record that changed the model last
  std::string agent;
  std::uint64_t learned = 0;  // events
  Milliseconds time = 0;      // when it was kept
  std::uint64_t bytes = 0;
  std::string checksum;
};

// The latest first. Throws UsageError when this is not the folder of a service.
std::vector<ModelVersion> model_versions(const std::filesystem::path& folder);

// The rest needs the folder for itself: no server may have it open.

// Makes a new folder from a backup, after checking it.
BackupCount restore(const std::filesystem::path& backup, const std::filesystem::path& to);

// Upgrades a folder of an older version. Returns whether there was something to do.
bool upgrade_log(const std::filesystem::path& folder,
                 const std::function<void(const std::string&)>& note);

struct AcceptedLoss {
  Sequence acknowledged = 0, last = 0;  // where the log should end, and where it does
  bool model_removed = false;           // it had learned from what is lost
};

// Accepts the log as whole although its end is lost. Throws Error if anything else is damaged.
AcceptedLoss accept_loss(const std::filesystem::path& folder,
                         const std::function<void(const std::string&)>& note);

struct Struck {
  std::uint64_t events = 0, already = 0;
  std::string checksum;  // of the model without them
};

// Rebuilds the model as if it had never learned from these events; the log keeps them, marked.
// Throws Error, and changes nothing, when one of them is unknown, waits for its reward, or was
// removed from the log.
Struck strike_events(const std::filesystem::path& folder,
                     const std::vector<std::string>& event_ids);

// Goes back to an earlier model, and to its agent if another one decides by now. The log says so.
// Returns the properties of the model, as JSON.
std::string roll_back(const std::filesystem::path& folder, Sequence version,
                      const std::function<void(const std::string&)>& note);

// Removes what is known about these events, and about all events whose request mentions one of
// these users: ids, requests and rewards are in no file of the log afterwards. What remains is that
// there was an event at that time. The model is rebuilt as if it had never learned from them.
// Throws Error, and changes nothing, when an event is unknown or the model cannot be rebuilt.
Erased erase_events(const std::filesystem::path& folder, const std::vector<std::string>& event_ids,
                    const std::vector<UserFeature>& users);

}  // namespace sau
