#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "sau/store/record.hpp"

namespace sau {

// What can be done with the folder of a service besides serving from it. All read only; export and
// verify also while a server has it open.

enum class LogFormat : std::uint8_t {
  kJsonLines,  // everything that is known of an event
  kDsjson,     // as Vowpal Wabbit's --dsjson --cb_explore_adf reads it
};

struct ExportCount {
  std::uint64_t events = 0;
  std::uint64_t left_out = 0;  // without an outcome yet, or never activated; dsjson only
};

// A line an event, in the order of the decisions. Throws Error when the log is damaged.
ExportCount export_log(const std::filesystem::path& folder, LogFormat format,
                       const std::function<void(const std::string& line)>& write);

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

}  // namespace sau
