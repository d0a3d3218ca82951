#include "serve/restore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sau/catalog/catalog.hpp"
#include "sau/core/container.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/model_file.hpp"

namespace sau::detail {
namespace {

constexpr Milliseconds kShortestStep = 60LL * 60 * 1000, kRetentionDay = 24 * kShortestStep;

// Throws Error if the model on disk is one of another folder: its agent is neither the present one
// nor one that a later entry replaces.
void check_agent(const Replayer& replayer, const std::string& present, const SharedStore& store,
                 const std::string& file) {
  const std::string& agent = replayer.agent().spec();
  if (agent == canonical_offer_agent(present)) return;
  bool replaced = false;
  store.read([&](const EventStore& events) {
    good(events.entries(replayer.position() + 1, [&](Sequence, const Entry& entry) {
      replaced = entry.kind == EntryKind::kPolicy || entry.kind == EntryKind::kTrialEnded;
      return !replaced;
    }));
  });
  if (!replaced) {
    throw Error(fmt::format("{}: a model of '{}'; this service runs '{}'", file, agent, present));
  }
}

}  // namespace

Replayer restored(const std::filesystem::path& folder, const FolderSettings& settings,
                  const Policy& policy, const SharedStore& store,
                  const std::function<void(const std::string&)>& note) {
  const LogHead head = store.read([](const EventStore& events) { return events.head(); });
  const LogHead base = store.read([](const EventStore& events) { return events.base(); });
  Replayer replayer(folder, settings.agent, settings.seed);
  std::string trouble;
  for (const auto& file : {snapshot_file(folder), base_file(folder)}) {
    if (!std::filesystem::exists(file)) continue;
    try {
      replayer.load_own(read_file(file), file.string());
      check_agent(replayer, policy.agent.empty() ? settings.agent : policy.agent, store,
                  file.string());
    } catch (const DamagedFile& error) {
      trouble = error.what();
      note(trouble + ": the model is rebuilt from the log");
      continue;
    }
    if (replayer.position() <= head.last && replayer.position() >= base.last) break;
    if (replayer.position() < base.last) continue;
    throw Error(
        fmt::format("{}: the model has read the log up to record {}, but the log in {} ends "
                    "at {}: part of it is missing",
                    file.string(), replayer.position(), log_folder(folder).string(), head.last));
  }
  if (replayer.position() < base.last) {
    throw Error(fmt::format(
        "{}: the log begins with record {}, and there is no model of what was before it{}. Restore "
        "the folder from a backup",
        folder.string(), base.last + 1, trouble.empty() ? "" : ": " + trouble));
  }
  return replayer;
}

std::optional<LogHead> due_for_removal(const SharedStore& store, Sequence learned,
                                       Milliseconds trusted_time,
                                       const Configuration& configuration) {
  const std::int64_t days = configuration.log_retention_days;
  const Sequence ordered = configuration.remove_until;
  constexpr Milliseconds kNever = std::numeric_limits<Milliseconds>::min();
  const Milliseconds oldest = days < 0 ? kNever : trusted_time - days * kRetentionDay;
  const auto [until, base] = store.read([&](const EventStore& events) {
    return std::pair(good(events.removable(learned, oldest, ordered)), events.base());
  });
  if (!until) return std::nullopt;
  // In steps of a tenth of the retention time, since each step moves base.sau, and events that
  // base.sau has learned from can be neither replayed nor struck. With a retention of 0 days,
  // events are removed as soon as possible.
  const Milliseconds step = days == 0 ? 0 : std::max(kShortestStep, days * kRetentionDay / 10);
  if (until->last <= base.last) return std::nullopt;
  if (base.last > 0 && until->time < base.time + step && base.last >= ordered) return std::nullopt;
  return until;
}

void write_base(const std::filesystem::path& folder, const FolderSettings& settings,
                Sequence least) {
  // Read back before it replaces the old one, which may be all that is left of removed events.
  write_file(base_file(folder), read_file(snapshot_file(folder)),
             [&](const std::filesystem::path& written) {
               Replayer check(folder, settings.agent, settings.seed);
               check.load_own(read_file(written), written.string());
               if (check.position() < least) throw Error(written.string() + ": is too old");
             });
}

}  // namespace sau::detail
