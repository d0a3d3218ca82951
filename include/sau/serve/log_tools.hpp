#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sau/store/record.hpp"

namespace sau {

// What can be done with the folder of a service besides serving from it. Export, verify, replay and
// back_up read one moment of the log, also while a server has it open, however long they take.

enum class LogFormat : std::uint8_t {
  kJsonLines,  // everything that is known of an event
  kDsjson,     // as Vowpal Wabbit's --dsjson --cb_explore_adf reads it
};

struct ExportCount {
  std::uint64_t events = 0;
  std::uint64_t left_out = 0;  // without an outcome, never activated, or struck; dsjson only
};

// A line an event, in the order of the decisions. `write` is given several whole lines at a time,
// on the caller's thread; lines are made on `threads` threads, 0 for as many as there are cores,
// and are the same for any number of them. Throws Error when the log is damaged.
ExportCount export_log(const std::filesystem::path& folder, LogFormat format,
                       const std::function<void(const std::string& lines)>& write,
                       unsigned threads = 0);

struct LogCheck {
  std::uint64_t decisions = 0, entries = 0;
  Sequence first = 0, last = 0;
  std::uint64_t waiting = 0;
};

// Reads every record, and that they fit together: checksums, no number missing, every entry about a
// decision that is there, every event where its entries leave it. Throws Error at the first thing
// that is wrong.
LogCheck verify_log(const std::filesystem::path& folder);

struct ReplayCheck {
  Sequence position = 0;  // of the model on disk: the replay went up to there
  std::uint64_t learned = 0;
  std::string agent, stored, replayed;  // spec; checksums of the two models
  bool from_base = false;               // the beginning of the log was removed by then
  bool same = false;
};

// Learns from the log anew, as far as the model on disk has, and compares the two.
ReplayCheck replay_log(const std::filesystem::path& folder);

struct BackupCount {
  std::uint64_t records = 0, bytes = 0;  // of the log; of all files
};

// Copies the folder as of one moment to a new one, and checks the copy as verify_log() does. Throws
// Error, and leaves nothing behind, when that fails.
BackupCount back_up(const std::filesystem::path& folder, const std::filesystem::path& to);

// The rest needs the folder for itself: no server may have it open.

// Makes a new folder of a backup, after checking it.
BackupCount restore(const std::filesystem::path& backup, const std::filesystem::path& to);

// Brings a folder of an older version to this one. Returns whether there was something to do.
bool upgrade_log(const std::filesystem::path& folder,
                 const std::function<void(const std::string&)>& note);

struct AcceptedLoss {
  Sequence acknowledged = 0, last = 0;  // what there should be, and what there is
  bool model_removed = false;           // it had learned from what is lost
};

// Takes the log for whole though its end is lost. Throws Error when more is damaged than that.
AcceptedLoss accept_loss(const std::filesystem::path& folder,
                         const std::function<void(const std::string&)>& note);

struct Struck {
  std::uint64_t events = 0, already = 0;
  std::string checksum;  // of the model without them
};

// Takes events out of what is learned: the log keeps them, marked, and the model is made anew as if
// they had never been learned from. Throws Error, and changes nothing, when one of them is not
// known, waits for its reward, or is part of what was removed from the log.
Struck strike_events(const std::filesystem::path& folder,
                     const std::vector<std::string>& event_ids);

}  // namespace sau
