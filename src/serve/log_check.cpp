#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sau/core/container.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/model_file.hpp"
#include "serve/policy.hpp"
#include "serve/replayer.hpp"
#include "serve/settings.hpp"

namespace sau {
namespace {

// What the entries of the log say about its decisions: one byte per record.
class Outcomes {
 public:
  Outcomes(const LogHead& base, const LogHead& head)
      : first_(base.last + 1), of_(head.records_since(base)) {}

  void add(Sequence sequence, const Entry& entry) {
    for (const Sequence decision : entry.missing) settle(sequence, decision, true);
    if (entry.decision == 0 || entry.kind == EntryKind::kMissing) return;
    if (entry.settles()) settle(sequence, entry.decision, entry.completes);
    mark(sequence, entry.decision, kMentioned);
  }

  void check(const LoggedEvent& event) {
    std::uint8_t& found = of_[event.sequence - first_];
    const EventPhase phase = event.state.phase;
    const bool completed = phase == EventPhase::kCompleted || phase == EventPhase::kMissing;
    const bool by_entries = (found & kCompleted) != 0;
    if (completed != by_entries || (phase == EventPhase::kWaiting) != ((found & kSettled) == 0)) {
      throw Error(fmt::format("decision {} is {} by its event, but {} by its entries",
                              event.sequence, completed ? "completed" : "open",
                              by_entries ? "completed" : "open"));
    }
    found |= kDecision;
  }

  // Called after all entries and events.
  void finish() const {
    for (std::size_t i = 0; i < of_.size(); ++i) {
      if ((of_[i] & (kMentioned | kSettled)) != 0 && (of_[i] & kDecision) == 0) {
        throw Error(
            fmt::format("there are entries about decision {}, which is missing", first_ + i));
      }
    }
  }

 private:
  enum : std::uint8_t { kMentioned = 1, kSettled = 2, kCompleted = 4, kDecision = 8 };

  void settle(Sequence sequence, Sequence decision, bool completes) {
    if (decision >= first_ && decision < sequence && (of_[decision - first_] & kSettled) != 0) {
      throw Error(fmt::format("record {} completes decision {} a second time", sequence, decision));
    }
    mark(sequence, decision, static_cast<std::uint8_t>(kSettled | (completes ? kCompleted : 0)));
  }
  void mark(Sequence sequence, Sequence decision, std::uint8_t what) {
    if (decision < first_) return;  // removed with the beginning of the log
    if (decision >= sequence) {
      throw Error(
          fmt::format("record {} is about decision {}, which is later", sequence, decision));
    }
    of_[decision - first_] |= what;
  }

  Sequence first_;
  std::vector<std::uint8_t> of_;
};

// Checks the model files that a replay of the log needs, and model.sau, which makes a full replay
// unnecessary.
void verify_models(const std::filesystem::path& folder, const LogHead& base,
                   const std::set<std::string>& loaded) {
  const auto position = [](const std::filesystem::path& file) {
    return detail::read_model_head(read_file(file), file.string()).position;
  };
  if (base.last > 0 && position(detail::base_file(folder)) < base.last) {
    throw Error(fmt::format("{}: too old: it has not learned from the removed records up to {}",
                            detail::base_file(folder).string(), base.last));
  }
  for (const std::string& name : loaded) {
    if (!name.empty()) position(detail::loaded_file(folder, name));
  }
  try {
    const auto file = detail::snapshot_file(folder);
    if (std::filesystem::exists(file)) position(file);
  } catch (const DamagedFile& error) {
    throw Error(error.what() + std::string(" (the next start rebuilds it from the log)"));
  }
}

}  // namespace

LogCheck verify_log(const std::filesystem::path& folder) {
  detail::read_folder(folder);
  // Opening it checks every checksum, and that no acknowledged record is missing.
  const auto store =
      open_event_store(detail::log_folder(folder), {.read_only = true, .verify = true});
  const LogHead base = store->base(), head = store->head();
  LogCheck result{.first = base.last + 1, .last = head.last};
  Outcomes outcomes(base, head);
  std::set<std::string> loaded;
  good(store->entries(base.last + 1, [&](Sequence sequence, const Entry& entry) {
    ++result.entries;
    outcomes.add(sequence, entry);
    if (entry.kind == EntryKind::kModelLoaded) loaded.insert(entry.text);
    if (entry.kind == EntryKind::kPolicy) {
      loaded.insert(good(detail::read_policy_change(entry.text)).model);
    }
    if (entry.kind == EntryKind::kTrialBegun) {
      loaded.insert(good(detail::read_trial_plan(entry.text)).model);
    }
    return true;
  }));
  std::uint64_t waiting = 0;
  EventDigest ids;
  good(store->events(base.last + 1, head.last, [&](const LoggedEvent& event) {
    const Decision decision = good(decode_decision(event.decision));
    ++result.decisions;
    ids.add(decision.event_id, event.sequence);
    if (event.state.phase == EventPhase::kWaiting) ++waiting;
    outcomes.check(event);
    return true;
  }));
  outcomes.finish();
  verify_models(folder, base, loaded);
  if (good(store->event_digest()) != ids) {
    throw Error("the index of event ids does not match the log");
  }
  good(store->waiting([&](const WaitingDecision&) { ++result.waiting; }));
  if (waiting != result.waiting) {
    throw Error(
        fmt::format("{} events wait, but {} are listed as waiting", waiting, result.waiting));
  }
  return result;
}

namespace {

// The models that a replay begins with and should end with, and the log between them. They are of
// one moment, even if a running server writes all three.
struct ReplayParts {
  detail::Replayer replayer;
  std::string stored;  // the model on disk
  std::unique_ptr<EventStore> store;
  bool from_base = false;
};

ReplayParts replay_parts(const std::filesystem::path& folder,
                         const detail::FolderSettings& settings) {
  const auto file = detail::snapshot_file(folder);
  constexpr int kTries = 20;
  for (int tries = 1;; ++tries) {
    if (!std::filesystem::exists(file)) {
      throw Error(file.string() + ": there is no model to compare with yet");
    }
    ReplayParts parts{.replayer = detail::Replayer(folder, settings.agent, settings.seed),
                      .stored = read_file(file),
                      .store = nullptr};
    parts.from_base = parts.replayer.load_base();
    parts.store =
        open_event_store(detail::log_folder(folder), {.read_only = true, .verify = false});
    // Otherwise the beginning of the log was removed meanwhile, and it needs a newer base.
    const Sequence model = detail::read_model_head(parts.stored, file.string()).position;
    const Sequence base = parts.replayer.position();
    if (parts.store->base().last <= base && base <= model) return parts;
    if (tries == kTries) {
      throw Error(fmt::format("{}: the log begins after record {}, and base.sau ends at {}",
                              folder.string(), parts.store->base().last, base));
    }
  }
}

}  // namespace

ReplayCheck replay_log(const std::filesystem::path& folder) {
  const detail::FolderSettings settings = detail::read_folder(folder);
  auto [replayer, stored, store, from_base] = replay_parts(folder, settings);
  const detail::ModelHead head = detail::read_model_head(stored, "the model");
  ReplayCheck check;
  check.position = head.position;
  check.stored = detail::model_checksum(stored);
  check.from_base = from_base;
  good(store->entries(replayer.position() + 1, [&, &replaying = replayer, &log = *store](
                                                   Sequence sequence, const Entry& entry) {
    if (sequence > head.position) return false;
    good(replaying.apply(sequence, entry, log));
    return true;
  }));
  replayer.reach(head.position);
  if (const auto failure = replayer.follow_trial(*store)) throw Error(failure->message);
  const std::string replayed = replayer.everything();
  check.agent = replayer.spec();
  check.learned = replayer.agent().learned();
  check.replayed = detail::model_checksum(replayed);
  check.same = detail::same_model(replayed, stored);
  return check;
}

}  // namespace sau
