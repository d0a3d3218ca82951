#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau {
namespace {

template <class T>
T good(Result<T> result) {
  if (!result.ok()) throw Error(result.failure().message);
  return std::move(result).value();
}

// The numbers of the two tables make one row without gaps.
class Numbering {
 public:
  void add(Sequence sequence) { numbers_.push_back(sequence); }

  void check(LogCheck& result) {
    std::ranges::sort(numbers_);
    for (std::size_t i = 1; i < numbers_.size(); ++i) {
      if (numbers_[i] != numbers_[i - 1] + 1) {
        throw Error(
            fmt::format("the log has record {} and then record {}", numbers_[i - 1], numbers_[i]));
      }
    }
    if (numbers_.empty()) return;
    result.first = numbers_.front();
    result.last = numbers_.back();
  }

 private:
  std::vector<Sequence> numbers_;
};

}  // namespace

LogCheck verify_log(const std::filesystem::path& folder) {
  detail::read_folder(folder);
  const auto store =
      open_event_store(detail::events_folder(folder), {.read_only = true, .verify = true});
  LogCheck result;
  Numbering numbers;
  struct Seen {
    EventPhase phase;
    bool completed;
  };
  std::map<Sequence, Seen> seen;
  good(store->decisions(0, [&](Sequence sequence, const Decision& decision) {
    numbers.add(sequence);
    ++result.decisions;
    const auto state = good(store->event(decision.event_id));
    if (!state || state->decision != sequence) {
      throw Error(
          fmt::format("record {}: the event '{}' points elsewhere", sequence, decision.event_id));
    }
    seen.emplace(sequence, Seen{state->phase, false});
    return true;
  }));
  good(store->entries(0, [&](Sequence sequence, const Entry& entry) {
    numbers.add(sequence);
    ++result.entries;
    if (entry.decision == 0) return true;
    const auto about = seen.find(entry.decision);
    // The decision may have been removed with the beginning of the log.
    const bool removed = seen.empty() || entry.decision < seen.begin()->first;
    if (entry.decision >= sequence || (about == seen.end() && !removed)) {
      throw Error(fmt::format("record {} is about decision {}, which is not there", sequence,
                              entry.decision));
    }
    if (entry.completes && about != seen.end() && std::exchange(about->second.completed, true)) {
      throw Error(
          fmt::format("record {} completes decision {} a second time", sequence, entry.decision));
    }
    return true;
  }));
  for (const auto& [sequence, decision] : seen) {
    const bool completed =
        decision.phase == EventPhase::kCompleted || decision.phase == EventPhase::kMissing;
    if (completed != decision.completed) {
      throw Error(fmt::format("decision {} is {} by its event, but {} by its entries", sequence,
                              completed ? "completed" : "open",
                              decision.completed ? "completed" : "open"));
    }
  }
  numbers.check(result);
  for (const Waiting& waiting : good(store->waiting())) {
    ++result.waiting;
    if (const auto about = seen.find(waiting.decision);
        about == seen.end() || about->second.phase != EventPhase::kWaiting) {
      throw Error(fmt::format("decision {} waits though its event does not", waiting.decision));
    }
  }
  const auto open = static_cast<std::uint64_t>(std::ranges::count(
      seen, EventPhase::kWaiting, [](const auto& each) { return each.second.phase; }));
  if (open != result.waiting) {
    throw Error(fmt::format("{} events wait, but {} are listed as waiting", open, result.waiting));
  }
  return result;
}

ReplayCheck replay_log(const std::filesystem::path& folder) {
  const detail::FolderSettings settings = detail::read_folder(folder);
  const auto store =
      open_event_store(detail::events_folder(folder), {.read_only = true, .verify = false});
  const auto file = detail::snapshot_file(folder);
  if (!std::filesystem::exists(file)) {
    throw Error(file.string() + ": there is no model to compare with yet");
  }
  const std::string stored = read_file(file);
  const detail::ModelHead head = detail::read_model_head(stored, file.string());
  detail::Replayer replayer(folder, settings.agent, settings.seed);
  ReplayCheck check;
  check.position = head.position;
  check.agent = settings.agent;
  check.stored = detail::model_checksum(stored);
  if (const auto base = detail::base_file(folder); std::filesystem::exists(base)) {
    replayer.load(read_file(base), base.string());
    check.from_base = true;
  }
  good(store->entries(replayer.position() + 1, [&](Sequence sequence, const Entry& entry) {
    if (sequence > head.position) return false;
    good(replayer.apply(sequence, entry, *store));
    return true;
  }));
  replayer.reach(head.position);
  const std::string replayed = replayer.model();
  check.learned = replayer.agent().learned();
  check.replayed = detail::model_checksum(replayed);
  check.same = replayed == stored;
  return check;
}

}  // namespace sau
