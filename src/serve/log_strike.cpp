#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

// Events learned from up to here cannot be struck: a model file has learned from them.
struct Fixed {
  Sequence until = 0;
  std::string file;
};

Fixed fixed_until(const std::filesystem::path& folder, const EventStore& store) {
  Fixed fixed;
  const auto add = [&](const std::filesystem::path& file) {
    const Sequence until = detail::read_model_head(read_file(file), file.string()).position;
    if (until > fixed.until) fixed = {until, std::filesystem::relative(file, folder).string()};
  };
  if (std::filesystem::exists(detail::base_file(folder))) add(detail::base_file(folder));
  // Policies and candidates that began with a model which had learned from this log.
  good(store.entries(store.base().last + 1, [&](Sequence, const Entry& entry) {
    std::string model;
    if (entry.kind == EntryKind::kPolicy) {
      model = good(detail::read_policy_change(entry.text)).model;
    } else if (entry.kind == EntryKind::kTrialBegun) {
      model = good(detail::read_trial_plan(entry.text)).model;
    }
    if (!model.empty()) add(detail::loaded_file(folder, model));
    return true;
  }));
  return fixed;
}

EventState to_be_struck(const EventStore& store, const std::string& id, const Fixed& fixed) {
  const auto state = good(store.event(id));
  if (!state) throw Error("there is no event '" + id + "' in the log");
  if (state->phase == EventPhase::kWaiting) {
    throw Error("the event '" + id + "' still waits for its reward: nothing was learned from it");
  }
  if (state->completed_by <= fixed.until) {
    throw Error(
        fmt::format("the event '{}' cannot be struck: the model is rebuilt from {}, which "
                    "has learned from all records up to {}, including this event",
                    id, fixed.file, fixed.until));
  }
  return *state;
}

// The model that the log now results in.
detail::Replayer replayed(const std::filesystem::path& folder,
                          const detail::FolderSettings& settings, const EventStore& store) {
  detail::Replayer replayer(folder, settings.agent, settings.seed);
  replayer.load_base();
  if (replayer.position() < store.base().last) {
    throw Error(fmt::format(
        "{}: missing or too old: the log begins with record {}, so the model cannot be rebuilt",
        detail::base_file(folder).string(), store.base().last + 1));
  }
  good(store.entries(replayer.position() + 1, [&](Sequence sequence, const Entry& entry) {
    good(replayer.apply(sequence, entry, store));
    return true;
  }));
  replayer.reach(store.head().last);
  if (const auto failure = replayer.follow_trial(store)) throw Error(failure->message);
  return replayer;
}

}  // namespace

Struck strike_events(const std::filesystem::path& folder,
                     const std::vector<std::string>& event_ids) {
  const detail::FolderSettings settings = detail::read_folder(folder);
  const auto store = open_event_store(detail::log_folder(folder), {});
  const Fixed fixed = fixed_until(folder, *store);
  const LogHead head = store->head();
  Struck result;
  StoreBatch batch;
  batch.time = head.time;
  batch.trusted_time = head.trusted_time;
  batch.waiting_from = head.waiting_from;
  for (const std::string& id : event_ids) {
    EventState state = to_be_struck(*store, id, fixed);
    const bool twice = std::ranges::any_of(
        batch.states, [&](const auto& each) { return each.first == state.decision; });
    if (state.struck || twice) {
      ++result.already;
      continue;
    }
    state.struck = true;
    batch.entries.emplace_back(
        head.last + 1 + result.events++,
        Entry{.kind = EntryKind::kStruck, .time = batch.time, .decision = state.decision});
    batch.states.emplace_back(state.decision, std::move(state));
  }
  // Writes nothing unless the model can be rebuilt.
  if (result.events > 0) {
    static_cast<void>(replayed(folder, settings, *store));
    good(store->write(batch));
  }
  // If this is interrupted, the next start does the same.
  const detail::Replayer replayer = replayed(folder, settings, *store);
  const std::string model = replayer.everything();
  write_file(detail::snapshot_file(folder), model);
  result.checksum = detail::model_checksum(model);
  return result;
}

}  // namespace sau
