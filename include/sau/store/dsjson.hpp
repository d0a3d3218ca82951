#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/time_text.hpp"

namespace sau {

// Reads dsjson, the decision logs of Azure Personalizer and of Vowpal Wabbit, and those that
// `sau log export --format dsjson` writes: one event per line, plain or packed with gzip.
// docs/formats/dsjson.md says how every field is read.

// One decision and its reward. It belongs to the reader and is valid until the next one is read.
struct DsjsonEvent {
  struct Action {
    std::string id;             // its `_tag` or another id that it has; else its place, from 1
    std::string_view features;  // a JSON array of objects
  };

  DsjsonEvent() = default;
  DsjsonEvent(const DsjsonEvent&) = delete;
  DsjsonEvent& operator=(const DsjsonEvent&) = delete;

  std::uint64_t line = 0;            // from 1
  std::string event_id;              // empty: the line has none
  std::optional<Milliseconds> time;  // of the decision
  // The body of the rank request that this event answers, with contextFeatures and actions, but
  // without an event id. The service would read the same features from it.
  std::string request;
  std::string_view context;  // contextFeatures, a JSON array of objects
  std::vector<Action> actions;
  std::size_t chosen = 0;             // place among the actions, from 0
  std::size_t baseline = 0;           // the caller's own choice: `_ba`, else the first action
  std::optional<double> probability;  // of the chosen action; above 0 and at most 1
  // Of all actions, adding up to 1; empty if the line does not have them.
  std::vector<double> distribution;
  double reward = 0.0;
  bool skip_learn = false;  // `_skipLearn`: kept, but not to be learned from
  bool inactive = false;    // its activation was deferred, and it never came
  double drop = 0.0;        // `pdrop`: events like this were left out of the log with this chance

  // The actions of the field `a`, as they are written there. Most programs count from 1 and put the
  // chosen action first, but not all do: `chosen` is what counts.
  std::vector<std::uint64_t> listed;
};

// The lines of a file, by what they were.
struct DsjsonCounts {
  std::uint64_t lines = 0;
  std::uint64_t events = 0;
  std::uint64_t empty = 0;
  std::uint64_t other = 0;       // no JSON object, or no decision in it
  std::uint64_t multi_slot = 0;  // decisions about several slots, which are not read
  std::uint64_t outcomes = 0;    // rewards apart from their decision
  std::uint64_t unlabelled = 0;  // decisions without a reward
  std::uint64_t torn = 0;        // the last line, if it is not whole
  std::uint64_t wrong = 0;       // lines with a fault; only if DsjsonOptions::skip_wrong
  std::string first_wrong;       // what was wrong with the first of them

  std::uint64_t left_out() const noexcept {
    return other + multi_slot + outcomes + unlabelled + torn + wrong;
  }
  // What was left out and why, such as "2 decisions without a reward, 1 torn line"; empty when
  // nothing was.
  std::string left_out_text() const;
};

// Rewards on separate lines, because they came after their decision had been written.
class DsjsonOutcomes {
 public:
  struct Outcome {
    std::optional<double> reward;
    bool activated = false;
  };

  // Adds the outcomes of a file. Lines that cannot be read are left to the reader of the events.
  void add(const std::filesystem::path& file);
  const Outcome* find(std::string_view event_id) const;
  std::size_t size() const noexcept { return by_id_.size(); }

 private:
  std::map<std::string, Outcome, std::less<>> by_id_;
};

struct DsjsonOptions {
  bool skip_wrong = false;           // count faulty lines instead of throwing
  bool needs_probability = true;     // an event without one is a fault
  const DsjsonOutcomes* outcomes{};  // for decisions that have no reward of their own
};

// Reads a file from one end to the other; memory is bounded by the longest line.
class DsjsonReader {
 public:
  // Throws Error when the file cannot be opened.
  explicit DsjsonReader(const std::filesystem::path& file, DsjsonOptions options = {});
  DsjsonReader(const DsjsonReader&) = delete;
  DsjsonReader& operator=(const DsjsonReader&) = delete;
  ~DsjsonReader();

  // The next event; nullptr at the end. Throws an Error that names file, line and field when a line
  // is faulty, or when the file cannot be read to its end.
  const DsjsonEvent* next();

  const DsjsonCounts& counts() const noexcept;
  // XXH3 of the text read so far, unpacked.
  std::uint64_t checksum() const noexcept;
  // How many bytes of text were read.
  std::uint64_t bytes() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sau
